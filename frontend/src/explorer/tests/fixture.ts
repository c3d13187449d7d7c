// A small search: three devices, six plans on a front, four operators. Hand-made figures, easy to check.
import type { Front, Plan, PlanDetail, PlanOperator, Search } from '../types'

export const devices: Front['devices'] = [
  { name: 'gpu0', tag: 'G0', slot: 1, display_name: 'A100 40G', device_type: 'GPU' },
  { name: 'cpu0', tag: 'C0', slot: 2, display_name: 'Xeon 8480', device_type: 'CPU' },
  { name: 'npu0', tag: 'N0', slot: 3, display_name: 'Ascend 910', device_type: 'NPU' },
]

const REFERENCE = { exec_time_ms: 0.8, energy_j: 0.05, load_balance: 0.2 }

export function plan(number: number, ms: number, joule: number, variance: number, more: Partial<Plan> = {}): Plan {
  const values = {
    exec_time_ms: ms,
    energy_j: joule,
    load_balance: variance,
    peak_memory_bytes: more.peak_memory_bytes ?? number * 1_000_000,
    transferred_bytes: more.transferred_bytes ?? number * 10_000,
    throughput_per_s: 1000 / ms,
  }
  return {
    number,
    values,
    multiples: {
      exec_time_ms: ms / REFERENCE.exec_time_ms,
      energy_j: joule / REFERENCE.energy_j,
      load_balance: variance / REFERENCE.load_balance,
    },
    exec_time_ms: ms,
    energy_j: joule,
    load_balance: variance,
    exec_time_x: ms / REFERENCE.exec_time_ms,
    energy_x: joule / REFERENCE.energy_j,
    load_balance_x: variance / REFERENCE.load_balance,
    peak_memory_bytes: number * 1_000_000,
    transferred_bytes: number * 10_000,
    n_transfers: number,
    violations: {},
    overflow_bytes: 0,
    feasible: true,
    from_solver: false,
    hash: `${number}${'abcdef0123456789'.repeat(4)}`.slice(0, 64),
    devices: [
      { operators: 3, busy_ms: ms / 2, share: 0.5 },
      { operators: 1, busy_ms: ms / 10, share: 0.1 },
      { operators: 0, busy_ms: 0, share: 0 },
    ],
    ...more,
  }
}

const measure = (key: string, unit: string, reference: number) => ({
  key,
  name: key,
  unit,
  direction: 'min' as const,
  needs: 'decode' as const,
  reference,
  constant: false,
})

export const plans: Plan[] = [
  plan(1, 0.4, 0.08, 0.1),
  plan(2, 0.48, 0.06, 0.08),
  plan(3, 0.56, 0.055, 0.12),
  plan(4, 0.6, 0.07, 0.02),
  plan(5, 0.8, 0.05, 0.2),
  plan(6, 1.2, 0.045, 0.06),
]

export const front: Front = {
  revision: 3,
  generation: 20,
  generations: 20,
  state: 'done',
  hypervolume: 2.7,
  evaluations: 2560,
  archive_size: 9,
  objectives: (['exec_time_ms', 'energy_j', 'load_balance'] as const).map((key) => ({
    ...measure(key, { exec_time_ms: 'ms', energy_j: 'J', load_balance: '' }[key], REFERENCE[key]),
    reference_kind: 'default',
  })),
  constraints: [],
  measures: [
    measure('peak_memory_bytes', 'bytes', 5_000_000),
    measure('transferred_bytes', 'bytes', 0),
    { ...measure('throughput_per_s', '1/s', 1250), direction: 'max' },
  ],
  default_plan: { ...REFERENCE, feasible: true, kind: 'default', device: 'gpu0', overflow_bytes: 0 },
  lower_bound: { exec_time_ms: 0.3 },
  devices,
  energy_sources: ['estimated', 'template'],
  knee: 2,
  next_number: 7,
  history: [
    [0, 2.5, 3],
    [10, 2.68, 5],
    [20, 2.7, 6],
  ],
  messages: [],
  plans,
}

export const search = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  number: 7,
  job: null,
  model: { id: 'c0ffee00-0000-4000-8000-000000000002', name: 'tiny', n_operators: 4 },
  pool: { id: 'c0ffee00-0000-4000-8000-000000000003', name: 'Three devices', version: 1, is_sample: false, devices },
  settings: {
    population_size: 128,
    generations: 20,
    seed: 5,
    mutation_prob: 0.15,
    makespan_cap: 2,
    fuse: true,
    pins: {},
    forbidden_devices: [],
    objectives: ['exec_time_ms', 'energy_j', 'load_balance'],
    constraints: [],
    items_in_flight: null,
    micro_batches: null,
    arrival_rate_per_s: null,
  },
  warm_start: null,
  binding: null,
  islands: null,
  state: 'done',
  outcome: 'done',
  generation: 20,
  generations: 20,
  hypervolume: 2.7,
  n_plans: 6,
  evaluations: 2560,
  eta_s: null,
  attempt: 1,
  revision: 9,
  front_revision: 3,
  error: null,
  best: { exec_time_x: 0.5, energy_x: 0.9 },
  created_at: '2026-01-05T10:00:00Z',
  created_by: null,
  started_at: '2026-01-05T10:00:00Z',
  finished_at: '2026-01-05T10:00:02Z',
} as unknown as Search

function operator(index: number, name: string, device: number, start: number, end: number, more: Partial<PlanOperator> = {}): PlanOperator {
  return {
    index,
    name,
    op_type: 'Conv',
    op_class: 'conv',
    scope: '',
    is_view: false,
    flops: 2000,
    bytes_moved: 300,
    device,
    order: index,
    start_ms: start,
    end_ms: end,
    time_ms: end - start,
    energy_j: 0.002,
    cost_source: 'roofline',
    time_low_ms: 1,
    time_high_ms: 2,
    energy_source: 'template',
    predecessors: [],
    members: [name],
    reason: { code: 'fastest_here', params: { device: 'cpu0', time_ms: 0.1, other_time_ms: 0.25, source: 'roofline' } },
    alternatives: [
      {
        device: 1,
        code: 'ok',
        delta_time_ms: 0.15,
        delta_energy_j: -0.001,
        energy_source: 'template',
        delta_load_balance: 0.01,
        delta_transferred_bytes: 32_000,
        overflow_bytes: 0,
      },
      {
        device: 2,
        code: 'exceeds_memory',
        delta_time_ms: null,
        delta_energy_j: null,
        energy_source: 'template',
        delta_load_balance: null,
        delta_transferred_bytes: null,
        overflow_bytes: 1_200_000_000,
      },
    ],
    ...more,
  }
}

export function detailOf(base: Plan): PlanDetail {
  return {
    ...base,
    revision: 3,
    operators: [
      operator(0, 'stem/conv', 0, 0, 0.1),
      operator(1, 'left/conv', 0, 0.1, 0.2),
      operator(2, 'right/relu', 1, 0.12, 0.16, { op_type: 'Relu', op_class: 'elementwise' }),
      operator(3, 'head/gemm', 0, 0.25, 0.4, { op_type: 'Gemm', op_class: 'matmul' }),
    ],
    edges: [],
    transfers: [
      { tensor: 'x', source: 0, target: 1, channel: 0, start_ms: 0.1, end_ms: 0.12, size_bytes: 4000 },
      { tensor: 'y', source: 1, target: 0, channel: 1, start_ms: 0.16, end_ms: 0.25, size_bytes: 4000 },
    ],
    memory: [
      { device: 'gpu0', limit_bytes: 34_000_000_000, peak_bytes: 1_000_000, points: [[0, 500_000], [0.1, 1_000_000]] },
      { device: 'cpu0', limit_bytes: null, peak_bytes: 2_000, points: [[0, 2_000]] },
    ],
    critical_path: [0, 2, 3],
    segments: { count: 3, cut_edges: 2, cut_bytes: 8000, launch_ms: 0.02, copied_weight_bytes: 0 },
    energy_parts_j: {},
  }
}
