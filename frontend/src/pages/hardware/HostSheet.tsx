// One host: whether it lives, what it is, its runtimes, and how it is built.
import { useState } from 'react'

import { useForgetHost, type Host } from '../../api/hardware'
import { useSession } from '../../api/queries'
import { Banner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Reason } from './Reason'
import { RuntimeBlock } from './RuntimeBlock'
import { StateChip } from './StateChip'
import { readTopology } from './topology'
import { TopologyBoxes } from './TopologyBoxes'

function Forget({ host }: { host: Host }) {
  const t = useT()
  const forget = useForgetHost()
  const [asking, setAsking] = useState(false)
  const { data: session } = useSession()
  const may = session?.permissions.includes('manage') ?? false
  return (
    <>
      <Button size="s" disabledReason={may ? null : t('hardware.cordon.owners')} onClick={() => setAsking(true)}>
        {t('hardware.forget')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('hardware.forget.ask', { name: host.name })}
        action={t('hardware.forget')}
        busy={forget.isPending}
        error={forget.error}
        onConfirm={() => forget.mutate(host.id)}
        onClose={() => setAsking(false)}
      >
        {t('hardware.forget.text')}
      </ConfirmDialog>
    </>
  )
}

export function HostSheet({ host }: { host: Host }) {
  const t = useT()
  const formats = useFormats()
  const topology = readTopology(host.topology)
  const here = host.runtimes.filter((runtime) => runtime.state !== 'absent' || runtime.devices.some((d) => d.state !== 'absent'))
  const absent = host.runtimes.filter((runtime) => !here.includes(runtime))
  const facts = [
    t('hardware.cores', { n: host.cores }),
    host.memory_size_bytes > 0 ? formats.bytes(host.memory_size_bytes) : '',
    host.versions.system ?? '',
    t('hardware.queue', { queue: host.queue }),
    t('hardware.heard', { when: formats.dateTime(host.seen_at) }),
  ]
  return (
    <section className="sheet hw-host" aria-label={host.name}>
      <div className="head">
        <h2>{host.name}</h2>
        <Chip tone={host.alive ? 'ok' : 'bad'}>{t(host.alive ? 'hardware.alive' : 'hardware.silent')}</Chip>
        <span className="small s3 hw-facts">{facts.filter(Boolean).join(' · ')}</span>
      </div>
      {!host.alive && (
        <Banner
          tone="warn"
          title={t('hardware.silent.title', { when: formats.dateTime(host.seen_at) })}
          actions={<Forget host={host} />}
        >
          {t('hardware.silent.text')} <code>./run worker --host</code>
        </Banner>
      )}
      {here.length === 0 && <p className="empty-line">{t(absent.length > 0 ? 'hardware.noneHere' : 'hardware.probing')}</p>}
      {here.map((runtime) => (
        <RuntimeBlock key={runtime.id} runtime={runtime} />
      ))}
      {absent.length > 0 && (
        <details className="hw-absent">
          <summary>{t('hardware.absent', { n: absent.length, list: absent.map(({ name }) => name).join(t('list.comma')) })}</summary>
          <ul>
            {absent.map((runtime) => (
              <li key={runtime.id} className="row wrap">
                <span className="strong">{runtime.name}</span>
                <StateChip state={runtime.state} />
                {!runtime.verified && <Chip tone="warn">{t('hardware.unverified')}</Chip>}
                {runtime.reason ? <Reason reason={runtime.reason} /> : <span className="small s2">{t('hardware.off')}</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
      {topology && (
        <details className="hw-topology" open>
          <summary>{t('topology.title')}</summary>
          <TopologyBoxes topology={topology} />
        </details>
      )}
    </section>
  )
}
