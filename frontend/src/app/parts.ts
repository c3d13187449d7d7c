// Parts of the application that are loaded when they are needed: a page's code together with the texts of its areas.
import { loadTexts } from '../i18n/texts'
import type { Area } from '../i18n/catalogue'
import { getLang } from '../i18n'

/** A part that could not be fetched: the server was updated and its old files are gone, or it does not answer. */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'PartMissing'
  }
}

/** The module, once the texts of `areas` are there too; both are fetched at the same time. Rejects with PartMissing. */
export async function part<T>(load: () => Promise<T>, areas: readonly Area[]): Promise<T> {
  try {
    const [module] = await Promise.all([load(), loadTexts(areas, getLang())])
    return module
  } catch (cause) {
    throw new PartMissing(cause)
  }
}
