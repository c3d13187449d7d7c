// A training request as the form holds it: groups of like nodes, levels of the network, model, workload; and as TOML.
import type { TrainingRequest } from '../../api/training'

export interface NodeGroup {
  gpu: string
  tflops: string
  memory: string
  fast: string
  gpus: string
  nodes: string
  /** Names that a file gave to the nodes; nodes beyond them are numbered by the server. */
  names: string[]
  /** The group on each level of the network, by the level's place. */
  places: string[]
}

export interface Level {
  name: string
  uplink: string
}

export interface Traffic {
  level: string
  group: string
  /** Percent of the group's uplink that others use. */
  percent: string
}

export interface Draft {
  name: string
  groups: NodeGroup[]
  card: string
  levels: Level[]
  background: Traffic[]
  /** A preset's name, or `custom`. */
  preset: string
  /** Of a custom model. */
  modelName: string
  measures: Record<Measure, string>
  sequence: string
  sequences: string
  schedule: string
  zero1: boolean
  /** At least two, so that a loss can be survived. */
  several: boolean
  /** What a file says of the workload beyond the form: degrees, an exact number of pipelines, a least one above two. */
  rest: Record<string, unknown>
}

export const MEASURES = ['layers', 'hidden', 'feed_forward', 'heads', 'key_value_heads', 'vocabulary'] as const
export type Measure = (typeof MEASURES)[number]
export const PRESETS = ['llama-7b', 'llama-13b', 'llama-32b', 'llama-70b'] as const
const LLAMA_32B = { layers: '60', hidden: '6656', feed_forward: '17920', heads: '64', key_value_heads: '64', vocabulary: '50304' }

const ALL_DEGREES = '1,2,4,8'

/** The published mixture of GPUs; its network cards are assumed. */
export const EXAMPLE: Draft = {
  name: '16 H800 + 32 H20',
  groups: [
    { gpu: 'H800', tflops: '990', memory: '79.6', fast: '400', gpus: '8', nodes: '2', names: [], places: [] },
    { gpu: 'H20', tflops: '148', memory: '95.6', fast: '900', gpus: '8', nodes: '4', names: [], places: [] },
  ],
  card: '50',
  levels: [],
  background: [],
  preset: 'llama-32b',
  modelName: '',
  measures: LLAMA_32B,
  sequence: '4096',
  sequences: '64',
  schedule: '1f1b',
  zero1: true,
  several: false,
  rest: {},
}

export function toRequest(draft: Draft): TrainingRequest {
  const gpu: TrainingRequest['gpu'] = {}
  for (const one of draft.groups) {
    gpu[one.gpu] = {
      bf16_tflop_per_s: Number(one.tflops),
      memory_gib: Number(one.memory),
      fast_link_gb_per_s: Number(one.fast),
    }
  }
  const places = (one: NodeGroup) => Object.fromEntries(draft.levels.map((level, at) => [level.name, one.places[at] ?? '']))
  const measures = Object.fromEntries(MEASURES.map((name) => [name, Number(draft.measures[name])]))
  return {
    name: draft.name,
    gpu,
    node: draft.groups.flatMap((one) => {
      const node = { gpu: one.gpu, gpus: Number(one.gpus), ...places(one) }
      const named = one.names.slice(0, Math.max(0, Number(one.nodes))).map((name) => ({ name, ...node }))
      const others = Number(one.nodes) - named.length
      return others === 0 && named.length > 0 ? named : [...named, { ...node, count: others }]
    }),
    network: {
      network_card_gb_per_s: Number(draft.card),
      level: draft.levels.map((level) => ({ name: level.name, uplink_gb_per_s: Number(level.uplink) })),
      background: draft.background.map(({ level, group, percent }) => ({ level, group, share: Number(percent) / 100 })),
    },
    model: draft.preset === 'custom' ? { name: draft.modelName.trim() || 'custom', ...measures } : { preset: draft.preset },
    workload: {
      sequence: Number(draft.sequence),
      sequences: Number(draft.sequences),
      schedule: draft.schedule,
      zero1: draft.zero1,
      ...draft.rest,
      least_pipelines: draft.several ? Number(draft.rest.least_pipelines ?? 2) : 1,
    },
  }
}

/** What the server has read, with like nodes that follow each other as one group. */
export function fromRequest(request: TrainingRequest): Draft {
  const network = request.network as {
    network_card_gb_per_s: number
    level: { name: string; uplink_gb_per_s: number }[]
    background: { level: string; group: string; share: number }[]
  }
  const groups: NodeGroup[] = []
  for (const [at, node] of (request.node as { name: string; gpu: string; gpus: number; [level: string]: unknown }[]).entries()) {
    const places = network.level.map((level) => String(node[level.name]))
    const names = node.name === `node ${at}` ? [] : [node.name]
    const last = groups.at(-1)
    const alike = last?.gpu === node.gpu && last.gpus === String(node.gpus) && last.places.join('\n') === places.join('\n')
    if (last && alike && (last.names.length === Number(last.nodes) || names.length === 0)) {
      last.nodes = String(Number(last.nodes) + 1)
      last.names.push(...names)
      continue
    }
    const type = request.gpu[node.gpu]
    groups.push({
      gpu: node.gpu,
      tflops: String(type?.bf16_tflop_per_s ?? ''),
      memory: String(type?.memory_gib ?? ''),
      fast: String(type?.fast_link_gb_per_s ?? ''),
      gpus: String(node.gpus),
      nodes: '1',
      names,
      places,
    })
  }
  const model = (request.model ?? {}) as Record<Measure, unknown> & { name?: string }
  const workload = (request.workload ?? {}) as Record<string, unknown>
  const preset = PRESETS.find((name) => name === model.name) ?? 'custom'
  return {
    name: request.name ?? '',
    groups,
    card: String(network.network_card_gb_per_s),
    levels: network.level.map((level) => ({ name: level.name, uplink: String(level.uplink_gb_per_s) })),
    background: network.background.map(({ level, group, share }) => ({ level, group, percent: String(Number((share * 100).toPrecision(12))) })),
    preset,
    modelName: preset === 'custom' && model.name !== 'custom' ? (model.name ?? '') : '',
    measures: Object.fromEntries(MEASURES.map((name) => [name, String(model[name])])) as Draft['measures'],
    sequence: String(workload.sequence),
    sequences: String(workload.sequences),
    schedule: String(workload.schedule),
    zero1: workload.zero1 === true,
    several: Number(workload.least_pipelines) > 1,
    rest: Object.fromEntries(
      Object.entries(workload).filter(
        ([key, one]) =>
          key === 'pipelines' ||
          (key === 'degrees' && String(one) !== ALL_DEGREES) ||
          (key === 'least_pipelines' && Number(one) > 2),
      ),
    ),
  }
}

const OF_TYPE = ['tflops', 'memory', 'fast'] as const

/** The groups after one was changed: figures belong to the GPU type, so all groups of a type have the same. */
export function changedGroups(groups: readonly NodeGroup[], at: number, some: Partial<NodeGroup>): NodeGroup[] {
  const old = groups[at]
  if (!old) return [...groups]
  const alike = groups.find((one, place) => place !== at && one.gpu === some.gpu)
  const adopted = alike ? Object.fromEntries(OF_TYPE.map((field) => [field, alike[field]])) : {}
  const shared = Object.fromEntries(OF_TYPE.flatMap((field) => (some[field] === undefined ? [] : [[field, some[field]]])))
  return groups.map((one, place) => {
    if (place === at) return { ...one, ...adopted, ...some }
    return one.gpu === old.gpu ? { ...one, ...shared } : one
  })
}

/** The groups on a level of the network, each once. */
export function groupsOn(draft: Draft, level: string): string[] {
  const at = draft.levels.findIndex((one) => one.name === level)
  return at < 0 ? [] : [...new Set(draft.groups.map((one) => one.places[at] ?? ''))]
}

function value(one: unknown): string {
  if (Array.isArray(one)) return `[${one.map(value).join(', ')}]`
  if (typeof one === 'object' && one !== null) return `{ ${pairs(one).join(', ')} }`
  // A basic string of TOML has the escapes of JSON.
  return JSON.stringify(one)
}

function pairs(table: object): string[] {
  return Object.entries(table).map(([key, one]) => `${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)} = ${value(one)}`)
}

/** The request as a cluster file, which the command and this form read again. */
export function toToml(request: TrainingRequest): string {
  const parts = [`name = ${value(request.name ?? '')}`]
  for (const [name, one] of Object.entries(request.gpu)) parts.push(`[gpu.${JSON.stringify(name)}]`, ...pairs(one))
  for (const one of request.node) parts.push('[[node]]', ...pairs(one))
  parts.push('[network]', ...pairs(request.network))
  parts.push('[model]', ...pairs(request.model ?? {}), '[workload]', ...pairs(request.workload ?? {}))
  return `${parts.join('\n')}\n`
}
