// Fetches the parts that a search's page needs before it is opened: its route, and the 3-D chart library.
import { loadPlotly } from '../charts/plotly'

/** How long a busy page may put the fetching off, in milliseconds. */
const AT_LATEST_MS = 2000
/** Where browsers cannot tell that they are idle. */
const LATER_MS = 500

function preloadRoute(): void {
  void import('./SearchRoute').catch(() => undefined)
}

/** Loads the explorer and plotly; calling it again costs nothing, and a failure shows on opening. */
export function preloadSearch(): void {
  preloadRoute()
  void loadPlotly().catch(() => undefined)
}

/** Runs `work` when the page has nothing else to do; returns how to call it off. */
function whenIdle(work: () => void): () => void {
  if (typeof window.requestIdleCallback === 'function') {
    const asked = window.requestIdleCallback(work, { timeout: AT_LATEST_MS })
    return () => window.cancelIdleCallback(asked)
  }
  const timer = setTimeout(work, LATER_MS)
  return () => clearTimeout(timer)
}

/** From the page that searches are started from: the explorer's own part first, and plotly, which is large and slow to
 * start, in an idle moment of its own, so that the first front does not wait for it. Returns how to call it off. */
export function preloadSearchWhenIdle(): () => void {
  let callOff = whenIdle(() => {
    preloadRoute()
    callOff = whenIdle(preloadSearch)
  })
  return () => callOff()
}
