// The devices that can be mapped: when each was, what came out, and the button that does it.
import { isActive, useStartMap, useStopMap, type Host, type HostDevice, type HostRuntime, type OperatorMap } from '../../api/hardware'
import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { STATUSES } from './mapRows'
import { RunLine } from './RunLine'
import { StateChip } from './StateChip'

/** A device with what it is in. */
export interface Place {
  host: Host
  runtime: HostRuntime
  device: HostDevice
}

/** Devices that are or were there, with their runtime and host. */
export function places(hosts: readonly Host[]): Place[] {
  return hosts.flatMap((host) =>
    host.runtimes.flatMap((runtime) =>
      runtime.devices.filter((device) => device.state !== 'absent').map((device) => ({ host, runtime, device })),
    ),
  )
}

function CountBar({ counts }: { counts: Record<string, number> }) {
  const t = useT()
  const total = STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
  const text = STATUSES.filter((status) => counts[status])
    .map((status) => t('operators.count', { n: counts[status] ?? 0, status: t(`operators.status.${status}`) }))
    .join(t('list.comma'))
  return (
    <span className="op-counts" title={text}>
      <span className="op-bar" aria-hidden="true">
        {STATUSES.map((status) => {
          const count = counts[status] ?? 0
          return count > 0 && <i key={status} className={`op-${status}`} style={{ flexGrow: count / Math.max(1, total) }} />
        })}
      </span>
      <span className="small s2">{text}</span>
    </span>
  )
}

function PlaceRow({ place, maps, several }: { place: Place; maps: readonly OperatorMap[]; several: boolean }) {
  const t = useT()
  const formats = useFormats()
  const { data: session } = useSession()
  const start = useStartMap()
  const stop = useStopMap()
  const { host, runtime, device } = place
  const own = maps.filter((map) => map.device_id === device.id)
  const done = own.find((map) => Object.keys(map.counts).length > 0)
  const latest = own.at(-1)
  const running = latest && isActive(latest) ? latest : null
  const why = !canPlan(session)
    ? t('forbidden.viewer')
    : !host.alive
      ? t('hardware.silent.short')
      : device.state !== 'healthy'
        ? t('operators.notHealthy')
        : null
  return (
    <li className="op-place">
      <div className="op-who">
        <span className="strong">{runtime.name}</span> <span className="s2">{device.name}</span>
        {several && <span className="small s3"> {host.name}</span>}{' '}
        {device.state !== 'healthy' && <StateChip state={device.state} />}
        {!runtime.verified && <Chip tone="warn">{t('hardware.unverified')}</Chip>}
      </div>
      <div className="op-what">
        {done ? <CountBar counts={done.counts} /> : !running && <span className="small s2">{t('operators.never')}</span>}
        {done && (
          <span className="small s3">
            {done.finished_at && formats.dateTime(done.finished_at)}
            {done.trigger === 'fingerprint' && ` · ${t('operators.auto')}`}
            {done.stale && (
              <>
                {' '}
                <Chip tone="warn">{t('hardware.stale')}</Chip>
              </>
            )}
          </span>
        )}
        {latest && latest !== done && (
          <RunLine
            run={latest}
            device={device.id}
            label={t('operators.run.label', { name: `${runtime.name} ${device.name}` })}
            stopping={stop.isPending}
            whyNotStop={canPlan(session) ? null : t('forbidden.viewer')}
            onStop={() => stop.mutate(latest.id)}
          />
        )}
        {start.error && <ErrorBanner error={start.error} />}
      </div>
      {!running && (
        <Button
          icon="play"
          busy={start.isPending}
          disabledReason={why}
          aria-label={t('operators.runOn', { name: `${runtime.name} ${device.name}` })}
          onClick={() => start.mutate(device.id)}
        >
          {t(done ? 'operators.again' : 'operators.run')}
        </Button>
      )}
    </li>
  )
}

export function MapList({ hosts, maps }: { hosts: readonly Host[]; maps: readonly OperatorMap[] }) {
  const found = places(hosts)
  return (
    <ul className="sheet op-places">
      {found.map((place) => (
        <PlaceRow key={place.device.id} place={place} maps={maps} several={hosts.length > 1} />
      ))}
    </ul>
  )
}
