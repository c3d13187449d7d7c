// The objects of the REST API by the names that the pages use; all come from the generated schema.
import type { components } from './schema'

type Schemas = components['schemas']

export type ApiErrorBody = Schemas['Problem']
export type CodeWithParams = Schemas['Remark']
export type FieldError = Schemas['FieldError']

export type Session = Schemas['Session']

export type Model = Schemas['Model']
export type ModelSummary = Schemas['ModelSummary']
export type TensorInfo = Schemas['Tensor']
export type DynamicDim = Schemas['DynamicDim']
export type Binding = Schemas['Binding']
export type Given = Schemas['GivenRequest']
export type OperatorCost = Schemas['OperatorCostRequest']
export type Questions = Schemas['Questions']
export type OperatorRow = Schemas['Operator']
export type LinkedTensor = Schemas['LinkedTensor']
export type EdgeRow = Schemas['Edge']

export type DeviceType = Schemas['DeviceType']
export type DeviceTemplate = Schemas['Template']
export type DeviceSpec = Schemas['DeviceSpec']
export type LinkSpec = Schemas['LinkSpec']
export type PoolSpec = Schemas['PoolSpec']
export type Pool = Schemas['Pool']
export type PoolCheck = Schemas['PoolCheck']
/** A device as charts know it: `slot` counts from 1 in pool order, `tag` is its type letter and index. */
export type DeviceRef = Schemas['PoolDevice']

export type SearchSettings = Schemas['SearchSettingsAskedRequest']
export type SearchState = Schemas['SearchState']
export type Search = Schemas['Search']
/** What an event of a search's stream carries. */
export type SearchProgress = Omit<Search, 'job' | 'model' | 'pool'>

export type Proof = Schemas['Proof']
export type RegisteredObjective = Schemas['RegisteredObjective']
export type PlanSummary = Schemas['PlanSummary']
/** The schema cannot say that the rows of a history are triples. */
export interface Front extends Omit<Schemas['Front'], 'history'> {
  history: [generation: number, hypervolume: number, plans: number][]
}
export type Alternative = Schemas['Alternative']
export type OperatorAlternatives = Schemas['OperatorAlternatives']
export type PlanOperator = Schemas['PlanOperator']
export type PlanTransfer = Schemas['Transfer']
export type ItemsInFlight = Schemas['ItemsInFlight']
export interface PlanMemory extends Omit<Schemas['MemoryCurve'], 'points'> {
  points: [ms: number, bytes: number][]
}
export interface PlanDetail extends Omit<Schemas['PlanDetail'], 'memory'> {
  memory: PlanMemory[]
}
/** A plan after some moves; the rest is as in its base. */
export type WhatIf = Omit<Schemas['WhatIf'], 'memory'> & { memory: PlanMemory[] }
