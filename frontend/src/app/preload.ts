// Fetches the parts that a search's page needs before anybody opens one: its route and the 3-D chart library.
import { loadPlotly } from '../charts/plotly'

/** How long a busy page may put the fetching off, in milliseconds. */
const AT_LATEST_MS = 2000
/** Where browsers cannot tell that they are idle. */
const LATER_MS = 500

/** Loads the explorer and plotly now; they are kept, so calling it again costs nothing. A failure shows on opening. */
export function preloadSearch(): void {
  void import('./SearchRoute').catch(() => undefined)
  void loadPlotly().catch(() => undefined)
}

/** Loads them when the page has nothing else to do; returns how to call it off. */
export function preloadSearchWhenIdle(): () => void {
  if (typeof window.requestIdleCallback === 'function') {
    const asked = window.requestIdleCallback(preloadSearch, { timeout: AT_LATEST_MS })
    return () => window.cancelIdleCallback(asked)
  }
  const timer = setTimeout(preloadSearch, LATER_MS)
  return () => clearTimeout(timer)
}
