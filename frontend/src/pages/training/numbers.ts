// Numbers of GPUs with runs drawn together.

export function numbers(gpus: readonly number[]): string {
  const runs: [number, number][] = []
  for (const gpu of gpus) {
    const last = runs.at(-1)
    if (last && gpu === last[1] + 1) last[1] = gpu
    else runs.push([gpu, gpu])
  }
  return runs.map(([first, end]) => (first === end ? String(first) : `${first}–${end}`)).join(', ')
}
