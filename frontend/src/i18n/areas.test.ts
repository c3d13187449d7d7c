// Every page loads the texts that it shows: what a page's code names is in the shell's texts or in the areas of its route.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

import { areas, catalogue, shell, type Area } from './catalogue'

const SRC = join(import.meta.dirname, '..')
const keys = Object.keys(catalogue)
/** Errors come with their texts: see api/errors.ts. What they use is looked up there alone. */
const FOR_ERRORS = join(SRC, 'api', 'errors.ts')
/** Where texts are kept, which use none. */
const IS_TEXTS = /i18n\/(messages|catalogue)|explorer\/(texts|messages)/

function fileAt(from: string, name: string): string | null {
  const base = join(dirname(from), name)
  return ['', '.ts', '.tsx', '/index.ts'].map((end) => base + end).find((path) => existsSync(path) && statSync(path).isFile()) ?? null
}

/** Every file that `entry` imports, through whatever number of others; parts that are loaded later are left out. */
function reached(entry: string): Set<string> {
  const seen = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !/\.tsx?$/.test(file) || IS_TEXTS.test(file)) continue
    seen.add(file)
    for (const [, named, bare] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)(?!\s+type)[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm)) {
      const found = fileAt(file, named ?? bare ?? '')
      if (found) open.push(found)
    }
  }
  return seen
}

/** Keys that a file names: whole, by their beginning in a template, or as a family of codes. */
function keysOf(file: string): string[] {
  if (file === FOR_ERRORS) return []
  const source = readFileSync(file, 'utf8')
  const whole = [...source.matchAll(/'([a-zA-Z]\w*(?:\.\w+)+)'/g)].map(([, key = '']) => key).filter((key) => key in catalogue)
  const families = [...source.matchAll(/`([a-zA-Z]\w*\.[\w.]*)\$\{/g), ...source.matchAll(/translateCode\('([\w.]+)'/g)].map(([all, name = '']) =>
    all.startsWith('`') ? name : `${name}.`,
  )
  return [...whole, ...keys.filter((key) => families.some((family) => key.startsWith(family)))]
}

function missing(files: Iterable<string>, loaded: readonly Area[]): string[] {
  const there = Object.assign({}, shell, ...loaded.map((area) => areas[area])) as Record<string, unknown>
  return [...files].flatMap((file) => keysOf(file).filter((key) => !(key in there)).map((key) => `${key} in ${relative(SRC, file)}`))
}

const start = reached(join(SRC, 'main.tsx'))
const routes = ['app/router.tsx', 'app/preload.ts'].flatMap((path) =>
  [...readFileSync(join(SRC, path), 'utf8').matchAll(/part\(\(\) => import\('([^']+)'\), \[([^\]]*)\]\)/g)].map(([, name = '', list = '']) => ({
    entry: fileAt(join(SRC, path), name) ?? name,
    named: [...list.matchAll(/'(\w+)'/g)].map(([, area = '']) => area as Area),
  })),
)

describe('the areas of texts', () => {
  it('are those of every route', () => {
    const lazy = readFileSync(join(SRC, 'app/router.tsx'), 'utf8').match(/component: lazyRouteComponent/g) ?? []
    expect(routes).toHaveLength(lazy.length)
    expect(routes.flatMap(({ named }) => named).filter((area) => !(area in areas))).toEqual([])
  })

  it('are not needed by what is there from the start', () => {
    expect(missing(start, [])).toEqual([])
  })

  it.each(routes.map(({ entry, named }) => [relative(SRC, entry), entry, named] as const))('hold what %s shows', (_, entry, named) => {
    expect(missing(reached(entry), named)).toEqual([])
  })

  it('are not part of what is there from the start', () => {
    expect([...start].filter((file) => file.endsWith('i18n/catalogue.ts'))).toEqual([])
  })
})
