// Every host with its runtimes and devices, as they are now.
import { useHosts } from '../../api/hardware'
import { Empty, LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { HardwareHead } from './HardwareHead'
import { HostSheet } from './HostSheet'

function JoinHost({ shared }: { shared: boolean }) {
  const t = useT()
  return (
    <section className="sheet" aria-labelledby="join-title">
      <div className="head">
        <h2 id="join-title">{t('hardware.join')}</h2>
      </div>
      <div className="body stack small s2 read">
        <p>{t(shared ? 'hardware.join.text' : 'hardware.join.sqlite')}</p>
        <code className="command hw-command">HETEROOPT_DATABASE_URL=… HETEROOPT_BROKER_URL=… ./run worker --host</code>
      </div>
    </section>
  )
}

export function DevicesPage() {
  const t = useT()
  const found = useHosts()
  const hosts = found.data?.hosts
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={found.isPending}>
      <HardwareHead tab="hardware.devices" />
      {found.error && (hosts ? <div className="notices"><LoadFailed error={found.error} onRetry={() => void found.refetch()} /></div> : <LoadFailed error={found.error} onRetry={() => void found.refetch()} />)}
      {hosts?.length === 0 && (
        <div className="sheet">
          <Empty inSheet title={t('hardware.empty.title')}>
            <p>{t(found.data?.kept_here ? 'hardware.empty.starting' : 'hardware.empty.off')}</p>
          </Empty>
        </div>
      )}
      {hosts?.map((host) => (
        <HostSheet key={host.id} host={host} />
      ))}
      {found.data && <JoinHost shared={found.data.shared} />}
    </main>
  )
}
