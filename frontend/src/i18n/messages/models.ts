// Texts of the models pages.
import type { Catalogue } from '../format'

export const modelMessages = {
  'models.title': ['Title', '标题'],
} as const satisfies Catalogue
