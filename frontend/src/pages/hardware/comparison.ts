// What the body of a precision run holds; the engine defines it, so every part may be missing.
export interface Rung {
  rung: string
  scaled_error: number | null
  tolerance: number
  within: boolean
  reason: Problem | null
}

export interface Problem {
  code: string
  message: string
  hint: string
  params: Record<string, unknown>
}

export interface CaseRow {
  key: string
  op_type: string
  status: 'within' | 'out' | 'not_run'
  scaled_error: number | null
  tolerance: number
  ulp?: number | null
  nan_mismatch?: number
  inf_mismatch?: number
  suspect?: string
  verdict?: string
  ladder?: Rung[]
  reason?: (Problem & { side?: string }) | null
  /** Of a model's operator: the largest distance among its inputs. */
  before?: number | null
}

export interface OperatorSums {
  op_type: string
  cases: number
  within: number
  out: number
  not_run: number
  scaled_error: number | null
  share_of_tolerance: number | null
}

export interface Finding {
  kind: string
  key: string
  side: string
  before: number | string | null
  after: number | string | null
}

export interface Changes {
  findings: Finding[]
  mended: Finding[]
}

export interface FusedGroup {
  operators: string[]
  into: string
}

/** One step of a training on both devices; null is a loss that is no finite number. */
export interface LossStep {
  key: string
  network: string
  step: number
  left: number | null
  right: number | null
  /** Over the first loss of the left side. */
  difference: number | null
}

export interface LossNetwork {
  network: string
  status: 'within' | 'out'
  steps: number
  largest_difference: number | null
  first_step_out: number | null
  left_first: number | null
  left_last: number | null
  right_last: number | null
}

export interface Summary {
  cases?: number
  within?: number
  out?: number
  not_run?: number
  operators?: OperatorSums[] | number
  status?: string
  verdict?: string
  first?: string
  first_op_type?: string
  scaled_error?: number | null
  tolerance?: number
  left_ms?: number | null
  right_ms?: number | null
  networks?: LossNetwork[]
  changes?: Changes
  stopped?: boolean
}

export interface Body {
  cases: CaseRow[]
  /** The cases of a training. */
  steps: LossStep[]
  summary: Summary
  ladder: Rung[]
  fusion: { same: FusedGroup[]; left: FusedGroup[]; right: FusedGroup[] } | null
  seconds: number
  stopped: boolean
}

/** Reads a run's body; null before the run has ended. */
export function readBody(body: unknown): Body | null {
  if (typeof body !== 'object' || body === null) return null
  const { kind, cases, summary, ladder, fusion, seconds, stopped } = body as Omit<Partial<Body>, 'cases'> & { kind?: string; cases?: unknown[] }
  return {
    cases: kind === 'loss' ? [] : ((cases ?? []) as CaseRow[]),
    steps: kind === 'loss' ? ((cases ?? []) as LossStep[]) : [],
    summary: summary ?? {},
    ladder: ladder ?? [],
    fusion: fusion ?? null,
    seconds: seconds ?? 0,
    stopped: stopped ?? false,
  }
}

/** How many results are out of tolerance; undefined where nothing was found. */
export function countOut(summary: Summary): number | undefined {
  return summary.networks ? summary.networks.filter((one) => one.status === 'out').length : summary.out
}

/** Operators, those that use most of their tolerance first; one with a case out of it or without numbers leads. */
export function worstFirst(rows: readonly OperatorSums[]): OperatorSums[] {
  const weight = (row: OperatorSums) => (row.out > 0 ? 1e9 : 0) + (row.share_of_tolerance ?? (row.within > 0 ? Infinity : -1))
  return [...rows].sort((a, b) => weight(b) - weight(a) || a.op_type.localeCompare(b.op_type, 'en'))
}
