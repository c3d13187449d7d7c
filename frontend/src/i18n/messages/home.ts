// Texts of the home pages.
import type { Catalogue } from '../format'

export const homeMessages = {
  'home.title': ['Title', '标题'],
} as const satisfies Catalogue
