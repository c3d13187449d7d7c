// A build step that writes the licence texts of every bundled package beside the bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  name?: string
  version?: string
  license?: string
}

function packageFolder(moduleId: string): string | null {
  const path = moduleId.replace(/^\0/, '').split('?')[0] ?? ''
  const at = path.lastIndexOf('/node_modules/')
  if (at < 0) return null
  const [scope = '', name = ''] = path.slice(at + '/node_modules/'.length).split('/')
  const inside = scope.startsWith('@') ? `${scope}/${name}` : scope
  return `${path.slice(0, at)}/node_modules/${inside}`
}

function licenceOf(folder: string): string | null {
  const manifestPath = join(folder, 'package.json')
  if (!existsSync(manifestPath)) return null
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '(no licence file in the package)'
  return `${manifest.name ?? folder} ${manifest.version ?? ''} (${manifest.license ?? 'see below'})\n\n${text}\n`
}

/** Emits `fileName` with one entry per package that takes part in the bundle, sorted by name. */
export function thirdPartyLicences(fileName: string): Plugin {
  return {
    name: 'third-party-licences',
    apply: 'build',
    generateBundle() {
      const folders = new Set([...this.getModuleIds()].map(packageFolder).filter((folder) => folder !== null))
      const entries = [...folders].sort().map(licenceOf).filter((entry) => entry !== null)
      this.emitFile({ type: 'asset', fileName, source: entries.join(`\n${'-'.repeat(80)}\n\n`) })
    },
  }
}
