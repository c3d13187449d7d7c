// Names of joules with where they are from: "Energy (estimated)".
import { translateCode, useT } from '../i18n'

/** The name alone where it is not known. */
export function useEnergyName(): (name: string, sources: readonly string[]) => string {
  const t = useT()
  return (name, sources) =>
    sources.length === 0
      ? name
      : t('energy.from', { name, sources: sources.map((source) => translateCode('energy.from', source, {}, source)).join(t('list.comma')) })
}
