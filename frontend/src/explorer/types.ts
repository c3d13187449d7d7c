/** The explorer's names for the documents of the API, and the metrics that it draws and bounds. */
import type { ObjectiveKey, PlanSummary } from '../api/types'

export type {
  Alternative,
  CodeWithParams,
  DeviceRef,
  Front,
  ObjectiveKey,
  PlanDetail,
  PlanMemory,
  PlanOperator,
  PlanTransfer,
  Search,
  SearchState,
} from '../api/types'
export type Plan = PlanSummary

export type MetricKey = ObjectiveKey | 'peak_memory_bytes' | 'transferred_bytes'

export const OBJECTIVES: readonly ObjectiveKey[] = ['exec_time_ms', 'energy_j', 'load_balance']
/** Metrics that can carry a bound, in the order of the page. */
export const BOUNDED: readonly MetricKey[] = ['exec_time_ms', 'energy_j', 'load_balance', 'peak_memory_bytes']
/** Axes of the parallel coordinates, in the order of the page. */
export const METRICS: readonly MetricKey[] = [...BOUNDED, 'transferred_bytes']
