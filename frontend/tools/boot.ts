// Puts the script that runs before the first paint into the page; Vite itself only places module scripts.
import type { Plugin } from 'vite'

/** Adds `public/boot.js` as a blocking script at the head of the document. */
export function bootScript(): Plugin {
  let base = '/'
  return {
    name: 'boot-script',
    configResolved(config) {
      base = config.base
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `${base}boot.js` }, injectTo: 'head-prepend' }],
  }
}
