// Finds the sample model, pool and last finished sample search in the workspace's lists.
import type { DeviceRef, Model, Pool, Search } from '../../api/types'

export interface Sample {
  model: Model | undefined
  pool: Pool | undefined
  lastSearch: Search | undefined
}

/** The newest finished search of a sample model on a sample pool, with what went into it. */
export function findSample(models: readonly Model[], pools: readonly Pool[], searches: readonly Search[]): Sample {
  const sampleModels = models.filter((model) => model.is_sample)
  const samplePools = pools.filter((pool) => pool.is_sample)
  const lastSearch = searches.find(
    (search) =>
      search.state === 'done' &&
      search.front_revision > 0 &&
      sampleModels.some((model) => model.id === search.model.id) &&
      samplePools.some((pool) => pool.id === search.pool.id),
  )
  return {
    model: sampleModels.find((model) => model.id === lastSearch?.model.id) ?? sampleModels[0],
    pool: samplePools.find((pool) => pool.id === lastSearch?.pool.id) ?? samplePools[0],
    lastSearch,
  }
}

/** "2 × A100 40G, Xeon 8480 and Ascend 910": equal names counted, in pool order. */
export function listDevices(devices: readonly Pick<DeviceRef, 'display_name'>[], comma: string, and: string): string {
  const counts = new Map<string, number>()
  for (const { display_name: name } of devices) counts.set(name, (counts.get(name) ?? 0) + 1)
  const parts = [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name))
  const last = parts.pop() ?? ''
  return parts.length > 0 ? `${parts.join(comma)}${and}${last}` : last
}
