// Fetches the parts that a search's page needs before it is opened: the explorer, and the 3-D chart library.
import { loadPlotly } from '../charts/plotly'
import { getLang } from '../i18n'
import { loadTexts } from '../i18n/texts'
import { part } from './parts'

/** How long a busy page may put the fetching off, in milliseconds. */
const AT_LATEST_MS = 2000
/** Where browsers cannot tell that they are idle. */
const LATER_MS = 500

/** The explorer with its texts; plotly, which is larger, is fetched beside them. Calling it again costs nothing. */
export function loadSearch() {
  void loadPlotly().catch(() => undefined) // a failure shows where the front is drawn
  return part(() => import('./SearchRoute'), ['explorer', 'graph', 'reviews', 'errors'])
}

/** Fetches it ahead; a failure shows on opening. */
export function preloadSearch(): void {
  void loadSearch().catch(() => undefined)
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

/** From the page that searches are started from. Returns how to call it off. */
export function preloadSearchWhenIdle(): () => void {
  return whenIdle(preloadSearch)
}

/** The texts of errors, while the server still answers. */
export function preloadErrorTexts(): () => void {
  return whenIdle(() => void loadTexts(['errors'], getLang()).catch(() => undefined))
}
