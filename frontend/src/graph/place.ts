// Places things on a line as near as can be to where they want to be, in their order and without touching.

/**
 * Centres with the least sum of squared distances to `wish`, in the given order and at least `apart[i]` between the
 * centres of i - 1 and i. Isotonic regression by pooling adjacent violators (Ayer et al. 1955), in linear time.
 */
export function spread(wish: ArrayLike<number>, apart: ArrayLike<number>): Float64Array {
  const n = wish.length
  const offset = new Float64Array(n)
  const sum = new Float64Array(n)
  const size = new Int32Array(n)
  let blocks = 0
  for (let i = 0; i < n; i += 1) {
    offset[i] = i === 0 ? 0 : (offset[i - 1] ?? 0) + (apart[i] ?? 0)
    sum[blocks] = (wish[i] ?? 0) - (offset[i] ?? 0)
    size[blocks] = 1
    blocks += 1
    while (blocks > 1 && mean(sum, size, blocks - 2) >= mean(sum, size, blocks - 1)) {
      blocks -= 1
      sum[blocks - 1] = (sum[blocks - 1] ?? 0) + (sum[blocks] ?? 0)
      size[blocks - 1] = (size[blocks - 1] ?? 0) + (size[blocks] ?? 0)
    }
  }
  const places = new Float64Array(n)
  let i = 0
  for (let block = 0; block < blocks; block += 1) {
    const at = mean(sum, size, block)
    for (let k = 0; k < (size[block] ?? 0); k += 1, i += 1) places[i] = at + (offset[i] ?? 0)
  }
  return places
}

function mean(sum: Float64Array, size: Int32Array, block: number): number {
  return (sum[block] ?? 0) / (size[block] ?? 1)
}
