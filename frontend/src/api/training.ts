// What the training pages read and change on the server.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type TrainingPlan = Schemas['TrainingPlan']
export type TrainingPlanBrief = Schemas['TrainingPlanBrief']
export type TrainingRequest = Schemas['TrainingRequest']
export type TrainingResult = Schemas['TrainingResult']
export type TrainingPipeline = Schemas['TrainingPipeline']
export type TrainingLink = Schemas['TrainingLink']

const keys = {
  plans: ['training'] as const,
  plan: (id: string) => ['training', id] as const,
}
const LIST_LIMIT = 100
const ASK_AGAIN_MS = 500

export function isUnderWay(plan: { state: string }): boolean {
  return plan.state === 'queued' || plan.state === 'running' || plan.state === 'waiting'
}

export function useTrainingPlans() {
  return useQuery({
    queryKey: keys.plans,
    queryFn: ({ signal }) => unwrap(api.GET('/api/training-plans/', { signal, params: { query: { limit: LIST_LIMIT } } })),
    refetchInterval: ({ state }) => (state.data?.results.some(isUnderWay) ? 2 * ASK_AGAIN_MS : false),
  })
}

export function useTrainingPlan(id: string) {
  return useQuery({
    queryKey: keys.plan(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/training-plans/{plan_id}/', { signal, params: { path: { plan_id: id } } })),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? ASK_AGAIN_MS : false),
  })
}

export function useStartTrainingPlan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (request: TrainingRequest) => unwrap(api.POST('/api/training-plans/', { body: { request } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.plans }),
  })
}

/** Reads a cluster file; the answer has every default filled in. */
export function useReadCluster() {
  return useMutation({
    mutationFn: (toml: string) => unwrap(api.POST('/api/training-plans/read/', { body: { toml } })),
  })
}

export function useLose(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { gpus?: number[]; nodes?: string[] }) =>
      unwrap(api.POST('/api/training-plans/{plan_id}/lose/', { params: { path: { plan_id: id } }, body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.plans }),
  })
}

export function useStopTrainingPlan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (job: string) => unwrap(api.POST('/api/jobs/{job_id}/stop/', { params: { path: { job_id: job } } })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.plans }),
  })
}

export function useDeleteTrainingPlan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/training-plans/{plan_id}/', { params: { path: { plan_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.plans }),
  })
}
