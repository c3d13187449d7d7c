// What each device does with every operator of the standard, found by running the standard's own tests on it.
import { useHosts, useMapDetails, useOperatorMaps } from '../../api/hardware'
import { Empty, LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { HardwareHead } from './HardwareHead'
import { MapList, places } from './MapList'
import { MapTable } from './MapTable'

export function OperatorsPage() {
  const t = useT()
  const hosts = useHosts()
  const maps = useOperatorMaps()
  const made = (maps.data ?? []).filter((map) => Object.keys(map.counts).length > 0)
  const details = useMapDetails(made)
  const loaded = details.flatMap((detail) => (detail.data ? [detail.data] : []))
  const failed = [hosts, maps, ...details].find((query) => query.error && !query.data)
  const known = hosts.data && maps.data
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={!known && !failed}>
      <HardwareHead tab="hardware.operators" />
      <p className="read s2 hw-intro">{t('operators.intro')}</p>
      {failed && <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />}
      {known && places(hosts.data.hosts).length === 0 && (
        <div className="sheet">
          <Empty inSheet title={t('operators.noDevices')}>
            <p>{t('operators.noDevices.text')}</p>
          </Empty>
        </div>
      )}
      {known && places(hosts.data.hosts).length > 0 && <MapList hosts={hosts.data.hosts} maps={maps.data} />}
      {loaded.length > 0 && loaded.length === made.length && <MapTable maps={loaded} />}
    </main>
  )
}
