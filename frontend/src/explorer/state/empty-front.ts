/** The front of a search that has none yet, so that the page can stand before the first one arrives. */
import { BASICS } from '../logic/measures'
import type { Front, Search } from '../types'

const named = (key: string) => ({ key, name: key, unit: '', direction: 'min' as const, needs: 'decode' as const, reference: 0, constant: false })

export function emptyFront(search: Search): Front {
  const keys = search.settings.objectives
  return {
    revision: 0,
    generation: 0,
    generations: search.generations,
    state: search.state,
    hypervolume: null,
    evaluations: 0,
    archive_size: 0,
    objectives: keys.map((key) => ({ ...named(key), reference_kind: 'default' })),
    constraints: [],
    measures: BASICS.filter((key) => !keys.includes(key)).map(named),
    default_plan: {
      exec_time_ms: 0,
      energy_j: 0,
      load_balance: 0,
      feasible: true,
      kind: 'default',
      device: null,
      overflow_bytes: 0,
    },
    lower_bound: { exec_time_ms: 0 },
    devices: search.pool.devices,
    energy_sources: [],
    knee: null,
    next_number: 1,
    history: [],
    messages: [],
    plans: [],
  }
}
