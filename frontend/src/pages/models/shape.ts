// Shapes and sizes of tensors as people read them.

/** `1 × 64 × 56 × 56`; a size that is not known is `?`, a single number `1`. */
export function shapeText(shape: readonly (number | string | null)[] | null): string {
  if (shape === null) return '?'
  return shape.length === 0 ? '1' : shape.map((size) => size ?? '?').join(' × ')
}
