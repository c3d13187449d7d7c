// Fetches the parts that a search's page needs before it is opened: its route, and the 3-D chart library.
import { loadPlotly } from '../charts/plotly'

/** How long a busy page may put the fetching off, in milliseconds. */
const AT_LATEST_MS = 2000
/** Where browsers cannot tell that they are idle. */
const LATER_MS = 500

function preloadRoute(): void {
  void import('./SearchRoute').catch(() => undefined)
}

/** Loads the explorer and plotly when somebody is about to open a search; calling it again costs nothing, and a failure
 * shows on opening. Plotly is large, so a page without charts never loads it for nothing. */
export function preloadSearch(): void {
  preloadRoute()
  void loadPlotly().catch(() => undefined)
}

/** Loads the explorer's own part when the page has nothing else to do; returns how to call it off. */
export function preloadSearchWhenIdle(): () => void {
  if (typeof window.requestIdleCallback === 'function') {
    const asked = window.requestIdleCallback(preloadRoute, { timeout: AT_LATEST_MS })
    return () => window.cancelIdleCallback(asked)
  }
  const timer = setTimeout(preloadRoute, LATER_MS)
  return () => clearTimeout(timer)
}
