// Splits the catalogue of texts: one module for each area and language, so that a page loads only what it says, in one language.
import { resolve } from 'node:path'
import { runnerImport, type Plugin } from 'vite'

const ALL = 'virtual:texts'
const ONE = /^virtual:texts\/(\w+)-(en|zh)$/
const LANGUAGES = ['en', 'zh'] as const

type Messages = Readonly<Record<string, readonly [en: string, zh: string]>>

/** Serves `virtual:texts` with the loaders by area and language, and the modules that they load; `catalogue` is a path from the root. */
export function splitTexts(catalogue: string): Plugin {
  let root = process.cwd()
  let read: Promise<{ areas: Readonly<Record<string, Messages>>; sources: string[] }> | null = null
  const areas = () => {
    read ??= runnerImport<{ areas: Readonly<Record<string, Messages>> }>(resolve(root, catalogue), { root, configFile: false, logLevel: 'error' }).then(
      ({ module, dependencies }) => ({ areas: module.areas, sources: dependencies.map((path) => resolve(root, path)) }),
    )
    return read
  }
  return {
    name: 'split-texts',
    configResolved(config) {
      root = config.root
    },
    resolveId: (id) => (id === ALL || ONE.test(id) ? `\0${id}` : null),
    async load(id) {
      if (!id.startsWith(`\0${ALL}`)) return null
      const { areas: found, sources } = await areas()
      sources.forEach((path) => this.addWatchFile(path))
      const one = ONE.exec(id.slice(1))
      if (!one) {
        const entry = (area: string) =>
          `${area}: { ${LANGUAGES.map((lang) => `${lang}: () => import('${ALL}/${area}-${lang}')`).join(', ')} }`
        return `export const loaders = { ${Object.keys(found).map(entry).join(', ')} }`
      }
      const [, area = '', lang] = one
      const at = LANGUAGES.indexOf(lang as (typeof LANGUAGES)[number])
      const texts = Object.fromEntries(Object.entries(found[area] ?? {}).map(([key, both]) => [key, both[at]]))
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(texts))})`
    },
    watchChange() {
      read = null
    },
  }
}
