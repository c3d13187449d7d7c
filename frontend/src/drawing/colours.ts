// Mixing of colours that are written as #rrggbb.

export type Rgb = readonly [number, number, number]

export function parseHex(text: string): Rgb {
  const body = text.trim().replace('#', '')
  const full = body.length === 3 ? body.replace(/./g, '$&$&') : body
  const at = (i: number) => Number.parseInt(full.slice(i, i + 2), 16) || 0
  return [at(0), at(2), at(4)]
}

export function mix(a: string, b: string, share: number): string {
  const x = parseHex(a)
  const y = parseHex(b)
  const part = (i: 0 | 1 | 2) =>
    Math.round(x[i] + (y[i] - x[i]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${part(0)}${part(1)}${part(2)}`
}
