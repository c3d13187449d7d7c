// The addresses of the application. The code of a page and the texts of its areas are loaded when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'

import { askSearchAhead } from '../api/queries'
import { Crashed, NotFound } from '../pages/Faults'
import { reviewQuery } from '../pages/reviews/asked'
import { part } from './parts'
import { loadSearch } from './preload'
import { Root } from './Root'

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Crashed })

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => part(() => import('../pages/home/HomePage'), []), 'HomePage'),
})

const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: lazyRouteComponent(() => part(() => import('../pages/models/ModelsPage'), ['models', 'errors']), 'ModelsPage'),
})

const modelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models/$id',
  validateSearch: (search: Record<string, unknown>): { pool?: string } => (typeof search.pool === 'string' ? { pool: search.pool } : {}),
  component: lazyRouteComponent(() => part(() => import('../pages/models/ModelRoute'), ['models', 'explorer', 'graph', 'profiles', 'hardware', 'errors']), 'ModelRoute'),
})

const poolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/pools',
  validateSearch: (search: Record<string, unknown>): { new?: boolean } => (search.new ? { new: true } : {}),
  component: lazyRouteComponent(() => part(() => import('../pages/pools/PoolsPage'), ['pools', 'hardware', 'errors']), 'PoolsPage'),
})

const poolRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/pools/$id',
  component: lazyRouteComponent(() => part(() => import('../pages/pools/PoolRoute'), ['pools', 'profiles', 'hardware', 'errors']), 'PoolRoute'),
})

const devicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware',
  component: lazyRouteComponent(() => part(() => import('../pages/hardware/DevicesPage'), ['hardware', 'errors']), 'DevicesPage'),
})

const operatorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware/operators',
  component: lazyRouteComponent(() => part(() => import('../pages/hardware/OperatorsPage'), ['hardware', 'errors']), 'OperatorsPage'),
})

const precisionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hardware/precision',
  validateSearch: (search: Record<string, unknown>): { run?: string } =>
    typeof search.run === 'string' ? { run: search.run } : {},
  component: lazyRouteComponent(() => part(() => import('../pages/hardware/PrecisionPage'), ['hardware', 'errors']), 'PrecisionPage'),
})

const trainingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/training',
  component: lazyRouteComponent(() => part(() => import('../pages/training/TrainingPage'), ['training', 'errors']), 'TrainingPage'),
})

const trainingPlanRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/training/$id',
  component: lazyRouteComponent(() => part(() => import('../pages/training/TrainingPlanRoute'), ['training', 'errors']), 'TrainingPlanRoute'),
})

const reviewsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reviews',
  component: lazyRouteComponent(() => part(() => import('../pages/reviews/ReviewsPage'), ['reviews']), 'ReviewsPage'),
})

const reviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reviews/$id',
  validateSearch: reviewQuery,
  component: lazyRouteComponent(() => part(() => import('../pages/reviews/ReviewRoute'), ['reviews', 'errors']), 'ReviewRoute'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notifications',
  component: lazyRouteComponent(() => part(() => import('../pages/reviews/NotificationsPage'), ['reviews']), 'NotificationsPage'),
})

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  component: lazyRouteComponent(() => part(() => import('../pages/team/TeamPage'), ['team', 'reviews', 'errors']), 'TeamPage'),
})

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$secret',
  component: lazyRouteComponent(() => part(() => import('../pages/team/InvitePage'), ['team']), 'InvitePage'),
})

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/searches/$id',
  loader: ({ params }) => {
    askSearchAhead(params.id)
  },
  // The explorer writes its state into the address: that asks for nothing again.
  shouldReload: false,
  component: lazyRouteComponent(loadSearch, 'SearchRoute'),
})

const downloadRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/searches/$id/plans/$number/download',
  validateSearch: (search: Record<string, unknown>): { hash?: string } =>
    typeof search.hash === 'string' ? { hash: search.hash } : {},
  component: lazyRouteComponent(() => part(() => import('../pages/download/DownloadRoute'), ['download', 'explorer', 'pools', 'profiles', 'hardware', 'errors', 'reviews']), 'DownloadRoute'),
})

const routeTree = rootRoute.addChildren([
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

/** A page that breaks leaves the bar as it is. */
export const routes = { routeTree, defaultErrorComponent: Crashed } as const

export const router = createRouter({ ...routes, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
