/** A new search of the same model and pool from the front of this one, with the pins of the page. */
import { settingsOf, type Steering } from '../logic/pins'
import type { NewSearch } from '../../api/mutations'
import type { SearchSettings } from '../../api/types'
import type { Front, PlanOperator, Search } from '../types'

/** Settings that this search had and that the next one takes over; what was left open stays open. */
function inherited(search: Search): SearchSettings {
  const open = Object.entries(search.settings).filter(([key, value]) => value !== null || key === 'makespan_cap')
  return Object.fromEntries(open)
}

export function againBody(
  search: Search,
  steering: Steering,
  operators: readonly Pick<PlanOperator, 'index' | 'name' | 'members'>[],
  devices: Front['devices'],
  generations: number,
): NewSearch {
  const settings = { ...inherited(search), ...settingsOf(steering, operators, devices), generations }
  return { model: search.model.id, ...(search.pool.id ? { pool: search.pool.id } : {}), settings, warm_start: search.id }
}
