/** Plan B: of this search, or of another one of the same model. */
import { failureOf } from '../../api/failure'
import { useFront, useSearch } from '../../api/queries'
import { kneeIndex } from '../logic/model'
import { useExplorer } from '../state/context'
import { type PlanDetailState, useDetailOf } from '../state/plan-detail'
import type { DeviceRef, Front, Plan } from '../types'

export interface Other extends PlanDetailState {
  readonly plan: Plan | undefined
  readonly devices: readonly DeviceRef[]
  /** Of another search: its number and its front. */
  readonly foreign: { readonly number: number; readonly front: Front } | null
}

export function useOther(): Other {
  const { search, model, state } = useExplorer()
  const { against, b } = state
  const asked = useSearch(against ?? '', against !== null)
  const found = asked.data
  const other = found && found.id === against && found.model.id === search.model.id ? found : undefined
  const read = useFront(against ?? '', other?.front_revision)
  const front = other && !read.isPlaceholderData ? read.data : undefined
  const held = front?.plans.find((plan) => b !== null && plan.hash.startsWith(b))
  const plan = against === null ? model.plans[model.b] : (held ?? (front && front.plans[kneeIndex(front) ?? 0]))
  const detail = useDetailOf(against ?? search.id, plan, false)
  // The search, its front and its plan are read one after the other.
  const failed = against === null ? undefined : !other ? asked : !front ? read : undefined
  return {
    ...detail,
    ...(failed && { error: failureOf(failed), retry: () => void failed.refetch() }),
    plan,
    devices: front?.devices ?? model.front.devices,
    foreign: other && front ? { number: other.number, front } : null,
  }
}
