/** The explorer's names for the documents of the API. */
import type { PlanSummary } from '../api/types'

export type {
  Alternative,
  CodeWithParams,
  DeviceRef,
  Front,
  ItemsInFlight,
  PlanDetail,
  PlanMemory,
  PlanOperator,
  PlanTransfer,
  Search,
  SearchState,
  WhatIf,
} from '../api/types'
export type Plan = PlanSummary

/** Key of a measure of plans; which ones a front has is said by the front itself. */
export type MetricKey = string
