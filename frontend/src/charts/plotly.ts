// Loads plotly when a chart first needs it, so that pages without charts never do.
export type Plotly = (typeof import('./plotly-bundle'))['default']

let loading: Promise<Plotly> | null = null

/** Resolves to the bundle; a failed load is tried again on the next call. */
export function loadPlotly(): Promise<Plotly> {
  loading ??= import('./plotly-bundle').then(
    (module) => module.default,
    (error: unknown) => {
      loading = null
      throw error
    },
  )
  return loading
}
