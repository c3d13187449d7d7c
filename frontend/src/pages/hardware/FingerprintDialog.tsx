// What exactly computes: versions and shared objects of a runtime's process, and what its last change changed.
import { useFingerprint, type FingerprintChange, type HostRuntime } from '../../api/hardware'
import { Dialog } from '../../components/Dialog'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

const short = (value: string) => (value.startsWith('build-id:') || value.startsWith('sha256:') ? value.slice(0, 21) : value)

export function Changes({ changes }: { changes: readonly FingerprintChange[] }) {
  const t = useT()
  return (
    <table>
      <thead>
        <tr>
          <th>{t('hardware.change.what')}</th>
          <th>{t('hardware.change.before')}</th>
          <th>{t('hardware.change.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={`${change.kind} ${change.name}`}>
            <td>{change.name}</td>
            <td className="mono">{change.before ? short(change.before) : t('common.none')}</td>
            <td className="mono">{change.after ? short(change.after) : t('common.none')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Pairs({ title, pairs }: { title: string; pairs: Record<string, string> }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="dl small">
        {Object.entries(pairs)
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([name, value]) => (
            <div key={name} className="hw-pair">
              <dt>{name}</dt>
              <dd className="mono" title={value}>
                {short(value)}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  )
}

export function FingerprintDialog({ runtime, digest, onClose }: { runtime: HostRuntime; digest: string; onClose: () => void }) {
  const t = useT()
  const formats = useFormats()
  const found = useFingerprint(digest)
  return (
    <Dialog open wide onClose={onClose} title={t('hardware.fingerprint.of', { name: runtime.name, digest })}>
      <div className="dbody stack">
        {runtime.changes.length > 0 && runtime.fingerprint_changed_at && (
          <section>
            <h3>{t('hardware.changedAt', { when: formats.dateTime(runtime.fingerprint_changed_at) })}</h3>
            <div className="scroll-x">
              <Changes changes={runtime.changes} />
            </div>
          </section>
        )}
        {found.error && !found.data && <LoadFailed error={found.error} onRetry={() => void found.refetch()} />}
        {found.data && (
          <>
            <Pairs title={t('hardware.versions')} pairs={found.data.versions} />
            <Pairs title={t('hardware.objects', { n: Object.keys(found.data.objects).length })} pairs={found.data.objects} />
          </>
        )}
      </div>
    </Dialog>
  )
}
