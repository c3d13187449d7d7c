// What jsdom lacks and our components use, and all texts; cleans the page between tests.
import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

import { catalogue } from '../i18n/catalogue'
import { addMessages } from '../i18n/texts'

afterEach(cleanup)

// How long findBy... and waitFor look: a machine that runs all checks at once takes longer than the second they do by themselves.
configure({ asyncUtilTimeout: 10_000 })

// Pages load these by area; tests look at them at once, in both languages.
addMessages(catalogue)

globalThis.ResizeObserver = class {
  observe() { return undefined }
  unobserve() { return undefined }
  disconnect() { return undefined }
}

Element.prototype.scrollIntoView = () => undefined
Element.prototype.hasPointerCapture = () => false
