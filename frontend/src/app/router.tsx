// The addresses of the application. The explorer, with its charts, is loaded only when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'

import { Crashed, NotFound } from '../pages/Faults'
import { HomePage } from '../pages/home/HomePage'
import { reviewQuery } from '../pages/reviews/asked'
import { Root } from './Root'

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Crashed })

const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: HomePage })

const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: lazyRouteComponent(() => import('../pages/models/ModelsPage'), 'ModelsPage'),
})

const modelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models/$id',
  validateSearch: (search: Record<string, unknown>): { pool?: string } => (typeof search.pool === 'string' ? { pool: search.pool } : {}),
  component: lazyRouteComponent(() => import('../pages/models/ModelRoute'), 'ModelRoute'),
})

const poolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/pools',
  validateSearch: (search: Record<string, unknown>): { new?: boolean } => (search.new ? { new: true } : {}),
  component: lazyRouteComponent(() => import('../pages/pools/PoolsPage'), 'PoolsPage'),
})

const poolRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/pools/$id',
  component: lazyRouteComponent(() => import('../pages/pools/PoolRoute'), 'PoolRoute'),
})

const devicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware',
  component: lazyRouteComponent(() => import('../pages/hardware/DevicesPage'), 'DevicesPage'),
})

const operatorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware/operators',
  component: lazyRouteComponent(() => import('../pages/hardware/OperatorsPage'), 'OperatorsPage'),
})

const precisionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware/precision',
  validateSearch: (search: Record<string, unknown>): { run?: string } =>
    typeof search.run === 'string' ? { run: search.run } : {},
  component: lazyRouteComponent(() => import('../pages/hardware/PrecisionPage'), 'PrecisionPage'),
})

const trainingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/training',
  component: lazyRouteComponent(() => import('../pages/training/TrainingPage'), 'TrainingPage'),
})

const trainingPlanRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/training/$id',
  component: lazyRouteComponent(() => import('../pages/training/TrainingPlanRoute'), 'TrainingPlanRoute'),
})

const reviewsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reviews',
  component: lazyRouteComponent(() => import('../pages/reviews/ReviewsPage'), 'ReviewsPage'),
})

const reviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reviews/$id',
  validateSearch: reviewQuery,
  component: lazyRouteComponent(() => import('../pages/reviews/ReviewRoute'), 'ReviewRoute'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notifications',
  component: lazyRouteComponent(() => import('../pages/reviews/NotificationsPage'), 'NotificationsPage'),
})

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('../pages/team/TeamPage'), 'TeamPage'),
})

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$secret',
  component: lazyRouteComponent(() => import('../pages/team/InvitePage'), 'InvitePage'),
})

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/searches/$id',
  component: lazyRouteComponent(() => import('./SearchRoute'), 'SearchRoute'),
})

const downloadRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/searches/$id/plans/$number/download',
  validateSearch: (search: Record<string, unknown>): { hash?: string } =>
    typeof search.hash === 'string' ? { hash: search.hash } : {},
  component: lazyRouteComponent(() => import('../pages/download/DownloadRoute'), 'DownloadRoute'),
})

export const routeTree = rootRoute.addChildren([
  homeRoute,
  modelsRoute,
  modelRoute,
  poolsRoute,
  poolRoute,
  devicesRoute,
  operatorsRoute,
  precisionRoute,
  reviewsRoute,
  reviewRoute,
  notificationsRoute,
  teamRoute,
  inviteRoute,
  trainingRoute,
  trainingPlanRoute,
  searchRoute,
  downloadRoute,
])

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
