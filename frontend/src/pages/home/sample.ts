// Finds the sample model, pool and last finished sample search in the workspace's lists.
import type { DeviceRef, Model, Pool, Search } from '../../api/types'

export interface Sample {
  model: Model | undefined
  pool: Pool | undefined
  lastSearch: Search | undefined
}

/** The sample model and pool that the server takes (the newest ones), and the newest finished search of them. */
export function findSample(models: readonly Model[], pools: readonly Pool[], searches: readonly Search[]): Sample {
  const model = models.find((one) => one.is_sample)
  const pool = pools.find((one) => one.is_sample)
  const lastSearch = searches.find(
    (search) =>
      search.state === 'done' && search.n_plans > 1 && search.model.id === model?.id && search.pool.id === pool?.id,
  )
  return { model, pool, lastSearch }
}

/** "2 × A100 40G, Xeon 8480 and Ascend 910": equal names counted, in pool order. */
export function listDevices(devices: readonly Pick<DeviceRef, 'display_name'>[], comma: string, and: string): string {
  const counts = new Map<string, number>()
  for (const { display_name: name } of devices) counts.set(name, (counts.get(name) ?? 0) + 1)
  const parts = [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name))
  const last = parts.pop() ?? ''
  return parts.length > 0 ? `${parts.join(comma)}${and}${last}` : last
}
