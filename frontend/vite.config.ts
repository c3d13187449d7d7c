// How the front end is built: into Django's static files, with a manifest and without inline scripts.
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

import { bootScript } from './tools/boot.ts'
import { thirdPartyLicences } from './tools/licences.ts'
import { splitTexts } from './tools/texts.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
// The host stays as the browser sent it: Django compares it with the origin of every write.
const backend = { target: process.env.HETEROOPT_BACKEND ?? 'http://127.0.0.1:8000', changeOrigin: false }

export default defineConfig(({ command }) => ({
  base: command === 'build' ? '/static/web/' : '/',
  plugins: [react(), bootScript(), splitTexts('src/i18n/catalogue.ts'), thirdPartyLicences('third-party-licences.txt')],
  define: { global: 'globalThis' }, // plotly's dependencies name Node's global object
  resolve: {
    alias: {
      // plotly's registry always asks for this sheet, which only its map traces use.
      'maplibre-gl/dist/maplibre-gl.css': here('./src/charts/no-map.css'),
    },
  },
  build: {
    outDir: here('../apps/web/static/web'),
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2200, // plotly's own chunk, loaded only where there is a chart
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': backend, '/signin': backend, '/healthz': backend },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/test/setup.ts'],
    restoreMocks: true,
    testTimeout: 30_000, // machines that run all checks at once are slow
  },
}))
