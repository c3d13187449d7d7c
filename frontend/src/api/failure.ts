/** What a read failed with last: known at the first failure, while the next tries are still to come. */
export function failureOf(query: { readonly error: unknown; readonly failureReason: unknown }): unknown {
  return query.error ?? query.failureReason ?? null
}
