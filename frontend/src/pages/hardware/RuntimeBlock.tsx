// A runtime of a host: its state and why, its fingerprint and what changed, and its devices.
import { useState } from 'react'

import type { FingerprintChange, HostDevice, HostRuntime } from '../../api/hardware'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { CordonButton } from './CordonButton'
import { FingerprintDialog } from './FingerprintDialog'
import { Reason } from './Reason'
import { StateChip } from './StateChip'

function DeviceRow({ device, runtime }: { device: HostDevice; runtime: HostRuntime }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const ownReason = device.reason && JSON.stringify(device.reason) !== JSON.stringify(runtime.reason) ? device.reason : null
  return (
    <tr>
      <td>
        <div className="strong">{device.name}</div>
        {ownReason && <Reason reason={ownReason} />}
        {device.cordoned && (
          <div className="small s2 hw-reason">
            {device.cordoned_by && device.cordoned_at
              ? t('hardware.cordoned.by', { name: device.cordoned_by, when: formats.dateTime(device.cordoned_at) })
              : t('hardware.state.cordoned')}
            {device.cordon_note && <> {device.cordon_note}</>}
          </div>
        )}
      </td>
      <td>{device.device_type}</td>
      <td className="num">{device.memory_size_bytes > 0 ? formats.bytes(device.memory_size_bytes) : '–'}</td>
      <td className="hw-words">{device.precisions.join(' ') || '–'}</td>
      <td className="hw-words s2">
        {device.capabilities.map((bit) => translateCode('hardware.can', bit, {}, bit, lang)).join(t('list.comma')) || '–'}
      </td>
      <td>
        <StateChip state={device.state} />
      </td>
      <td className="num">
        <CordonButton device={device} />
      </td>
    </tr>
  )
}

const MOST_NAMED = 3

/** The versions that changed, and how many shared objects did: `openvino 2026.3 → 2026.4 · 12 shared objects`. */
function useChangeLine(changes: readonly FingerprintChange[]): string {
  const t = useT()
  const versions = changes.filter((change) => change.kind === 'version')
  const objects = changes.length - versions.length
  const none = t('common.none')
  const named = versions
    .slice(0, MOST_NAMED)
    .map(({ name, before, after }) => `${name} ${before || none} → ${after || none}`)
  if (versions.length > MOST_NAMED) named.push(t('hardware.change.more', { n: versions.length - MOST_NAMED }))
  if (objects > 0) named.push(t('hardware.change.objects', { n: objects }))
  return named.join(t('list.comma'))
}

export function RuntimeBlock({ runtime }: { runtime: HostRuntime }) {
  const t = useT()
  const formats = useFormats()
  const [digest, setDigest] = useState<string | null>(null)
  const version = runtime.versions[runtime.name] ?? Object.values(runtime.versions)[0]
  const changed = useChangeLine(runtime.changes)
  return (
    <section className="hw-runtime" aria-label={runtime.name}>
      <div className="row wrap hw-runtime-head">
        <h3>
          {runtime.name} {version && <span className="s2 hw-version">{version}</span>}
        </h3>
        <StateChip state={runtime.state} />
        {!runtime.verified && (
          <span title={t('hardware.unverified.text')}>
            <Chip tone="warn">{t('hardware.unverified')}</Chip>
          </span>
        )}
        <span className="grow" />
        {runtime.starts > 1 && <span className="small s3">{t('hardware.starts', { n: runtime.starts - 1 })}</span>}
        {runtime.fingerprint && (
          <button type="button" className="link small" onClick={() => setDigest(runtime.fingerprint)}>
            {t('hardware.fingerprint')} <span className="mono">{runtime.fingerprint.slice(0, 8)}</span>
          </button>
        )}
      </div>
      <Reason reason={runtime.reason} />
      {changed && runtime.fingerprint_changed_at && (
        <p className="hw-reason small s2">
          {t('hardware.changedAt', { when: formats.dateTime(runtime.fingerprint_changed_at) })} {changed}
        </p>
      )}
      {runtime.devices.length > 0 && (
        <div className="scroll-x">
          <table className="roomy hw-devices">
            <thead>
              <tr>
                <th>{t('hardware.device')}</th>
                <th>{t('hardware.type')}</th>
                <th className="num">{t('hardware.memory')}</th>
                <th>{t('hardware.precisions')}</th>
                <th>{t('hardware.capabilities')}</th>
                <th>{t('hardware.state')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runtime.devices.map((device) => (
                <DeviceRow key={device.id} device={device} runtime={runtime} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {digest && <FingerprintDialog runtime={runtime} digest={digest} onClose={() => setDigest(null)} />}
    </section>
  )
}
