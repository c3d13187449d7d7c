// Texts of the pools pages.
import type { Catalogue } from '../format'

export const poolMessages = {
  'pools.title': ['Title', '标题'],
} as const satisfies Catalogue
