// This machine as a pool: what was found on each host, and one click that makes the pool of it.
import { Link, useNavigate } from '@tanstack/react-router'

import { useMachinePool, useMachines, type Machine } from '../../api/machines'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'

const SHOWN = 6

function Card({ machine, only, disabledReason }: { machine: Machine; only: boolean; disabledReason: string | null }) {
  const t = useT()
  const navigate = useNavigate()
  const make = useMachinePool()
  const title = `machine-${machine.host}`
  const measurable = machine.devices.filter((device) => device.place !== '').length
  const open = () => make.mutate(machine.host, { onSuccess: (pool) => void navigate({ to: '/pools/$id', params: { id: pool.id } }) })
  return (
    <section className="machine sheet" aria-labelledby={title}>
      <div className="l">
        <h2 id={title}>{only ? t('machine.title') : t('machine.titleOf', { name: machine.name })}</h2>
        <p className="s2 small">
          {t('machine.text', { n: machine.devices.length })} {measurable > 0 ? t('machine.measurable', { n: measurable }) : t('machine.notMeasurable')}
        </p>
        {!machine.pool ? (
          <Button busy={make.isPending} disabledReason={disabledReason} onClick={open}>
            {only ? t('machine.plan') : t('machine.planOf', { name: machine.name })}
          </Button>
        ) : (
          <Link className="btn" to="/pools/$id" params={{ id: machine.pool }}>
            {t('machine.open')}
          </Link>
        )}
        {make.error && <ErrorBanner error={make.error} />}
      </div>
      <ul className="found" aria-label={t('machine.found')}>
        {machine.devices.slice(0, SHOWN).map((device) => (
          <li className="row" key={device.name}>
            <DeviceTag device={device} />
            <span className="grow cut">{device.display_name}</span>
            {device.estimated && <span className="micro s3">{t('machine.estimated')}</span>}
          </li>
        ))}
        {machine.devices.length > SHOWN && <li className="small s3">{t('machine.more', { n: machine.devices.length - SHOWN })}</li>}
      </ul>
    </section>
  )
}

export function MachineCards({ disabledReason }: { disabledReason: string | null }) {
  const { data } = useMachines()
  return (
    <>
      {data?.map((machine) => (
        <Card key={machine.host} machine={machine} only={data.length === 1} disabledReason={disabledReason} />
      ))}
    </>
  )
}
