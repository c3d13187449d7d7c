// What jsdom lacks and our components use; cleans the page between tests.
import '@testing-library/jest-dom/vitest'
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

afterEach(cleanup)

globalThis.ResizeObserver = class {
  observe() { return undefined }
  unobserve() { return undefined }
  disconnect() { return undefined }
}

Element.prototype.scrollIntoView = () => undefined
Element.prototype.hasPointerCapture = () => false
