// The objects of the REST API as the pages use them.

export interface ApiErrorBody {
  code: string
  message: string
  hint: string
  params: Record<string, unknown>
}

export interface Page<T> {
  count: number
  next: string | null
  previous: string | null
  results: T[]
}

export interface Person {
  id: string
  name: string
  initials?: string
}

export interface Session {
  user: { id: string; name: string; initials: string }
  team: { id: string; name: string; role: 'owner' | 'planner' | 'reviewer' | 'viewer' }
  permissions: string[]
  version: string
  csrf_token: string
}

export interface CodeWithParams {
  code: string
  params: Record<string, unknown>
}

export interface TensorInfo {
  name: string
  dtype: string
  shape: (number | string | null)[] | null
}

export interface DynamicDim {
  name: string
  default: number | null
  used_by: string[] | string
}

export interface ModelSummary {
  n_operators: number
  n_edges: number
  n_schedulable: number
  op_types: Record<string, number>
  parameters: number
  weight_bytes: number
  flops: number
  activation_bytes: number
  opset: number | null
  ir_version: number | null
  inputs: TensorInfo[]
  outputs: TensorInfo[]
  dynamic_dims: DynamicDim[]
  estimated_tensors: { name: string; reason: string }[]
  notes: CodeWithParams[]
  graph_hash: string
}

export type ModelState = 'parsing' | 'needs_dims' | 'ready' | 'refused'

export interface Model {
  id: string
  name: string
  kind: 'onnx' | 'tables'
  file_name: string
  size_bytes: number
  sha256: string
  state: ModelState
  error: ApiErrorBody | null
  job: string | null
  is_sample: boolean
  created_at: string
  created_by: Person | string | null
  dims: Record<string, number>
  summary: ModelSummary | null
}

export interface OperatorRow {
  index: number
  name: string
  op_type: string
  op_class: string
  flops: number
  flops_source: string
  bytes_read: number
  bytes_written: number
  precision: string
  is_view: boolean
  scope: string
}

export type DeviceType = 'GPU' | 'CPU' | 'NPU' | 'FPGA'

export interface DeviceSpec {
  name: string
  template?: string | null
  display_name: string
  vendor: string
  device_type: DeviceType
  peak_gflop_per_s: Record<string, number>
  memory_size_bytes: number
  memory_bandwidth_gb_per_s: number
  energy_pj_per_flop: Record<string, number>
  energy_pj_per_byte: number
  idle_power_w: number
  active_power_w: number
  launch_overhead_us: number
  efficiency: Record<string, number>
  bandwidth_efficiency: Record<string, number>
  supported_ops: string[] | null
  unsupported_ops: string[]
  memory_cap_bytes: number | null
  workspace_bytes: number
  cost_per_hour: number | null
  memory_domain: string | null
  sources: Record<string, string>
}

export interface DeviceTemplate {
  name: string
  display_name: string
  vendor: string
  device_type: DeviceType
  spec: DeviceSpec
  sources: Record<string, string>
}

export interface Link {
  source: string
  target: string
  bandwidth_gb_per_s: number
  latency_us: number
  energy_pj_per_byte: number
  link_class: string
  channel: string | null
  directed: boolean
}

export interface PoolSpec {
  name: string
  devices: DeviceSpec[]
  links: Link[]
  default_device: string | null
  blocking_transfers: boolean
  memory_fraction: number
  model_io_on_host: boolean
  idle_energy: 'used' | 'pool'
}

/** A device as charts know it: `slot` counts from 1 in pool order, `tag` is its type letter and index. */
export interface DeviceRef {
  name: string
  tag: string
  slot: number
  display_name: string
  device_type: DeviceType
}

export interface Pool {
  id: string
  name: string
  spec: PoolSpec
  devices: DeviceRef[]
  pool_hash: string
  version: number
  is_sample: boolean
  created_at: string
  created_by: Person | string | null
}

export interface SearchSettings {
  population_size?: number
  generations?: number
  seed?: number
  mutation_prob?: number
  makespan_cap?: number | null
  fuse?: boolean
  pins?: Record<string, string>
  forbidden_devices?: string[]
}

export type SearchState = 'queued' | 'running' | 'done' | 'stopped' | 'failed' | 'no_feasible'

/** What an event of the search's stream carries. */
export interface SearchProgress {
  id: string
  number: number
  settings: SearchSettings
  state: SearchState
  outcome: string | null
  generation: number
  generations: number
  hypervolume: number | null
  n_plans: number
  evaluations: number
  eta_s: number | null
  attempt: number
  revision: number
  front_revision: number
  error: ApiErrorBody | null
  best: { exec_time_x: number | null; energy_x: number | null } | null
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface Search extends SearchProgress {
  model: { id: string; name: string; n_operators: number; is_sample?: boolean }
  pool: { id: string; name: string; devices: DeviceRef[] }
  created_by: Person | string | null
}

export type ObjectiveKey = 'exec_time_ms' | 'energy_j' | 'load_balance'

export interface PlanSummary {
  number: number
  exec_time_ms: number
  energy_j: number
  load_balance: number
  exec_time_x: number
  energy_x: number
  load_balance_x: number
  peak_memory_bytes: number
  transferred_bytes: number
  n_transfers: number
  overflow_bytes: number
  feasible: boolean
  hash: string
  devices: { operators: number; busy_ms: number; share: number }[]
}

export interface Front {
  revision: number
  generation: number
  generations: number
  state: SearchState
  hypervolume: number | null
  evaluations: number
  archive_size: number
  objectives: { key: ObjectiveKey; reference: number; reference_kind: string; constant: boolean }[]
  default_plan: {
    exec_time_ms: number
    energy_j: number
    load_balance: number
    feasible: boolean
    kind: string
    device: string | null
    overflow_bytes: number
  }
  lower_bound: { exec_time_ms: number }
  devices: DeviceRef[]
  knee: number | null
  history: [generation: number, hypervolume: number, nPlans: number][]
  messages: CodeWithParams[]
  plans: PlanSummary[]
}

export interface Alternative {
  device: string
  code: 'ok' | 'not_supported' | 'exceeds_memory' | 'pinned'
  delta_time_ms: number | null
  delta_energy_j: number | null
  delta_load_balance: number | null
  delta_transferred_bytes: number | null
  overflow_bytes: number | null
}

export interface PlanOperator {
  index: number
  name: string
  op_type: string
  op_class: string
  device: string
  order: number
  start_ms: number
  end_ms: number
  time_ms: number
  energy_j: number
  cost_source: string
  members: string[]
  reason: CodeWithParams | null
  alternatives: Alternative[] | null
}

export interface PlanTransfer {
  tensor: string
  source: string
  target: string
  start_ms: number
  end_ms: number
  size_bytes: number
}

export interface PlanMemory {
  device: string
  limit_bytes: number
  peak_bytes: number
  points: [ms: number, bytes: number][]
}

export interface PlanDetail extends PlanSummary {
  operators: PlanOperator[]
  transfers: PlanTransfer[]
  memory: PlanMemory[]
  critical_path: number[]
}

export interface FieldErrors {
  errors: { field: string; code: string; message: string; params: Record<string, unknown> }[]
}
