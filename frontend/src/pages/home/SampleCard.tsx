// The invitation to see a search: what goes in, one button, and the last sample search's front once there is one.
import { Link, useNavigate } from '@tanstack/react-router'

import { useStartSample } from '../../api/mutations'
import { useFront } from '../../api/queries'
import type { Model, Pool, Search } from '../../api/types'
import { preloadSearch } from '../../app/preload'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { useAmounts } from '../models/amounts'
import { FrontPreview } from './FrontPreview'
import { listDevices, type Sample } from './sample'

function Inputs({ model, pool }: { model: Model; pool: Pool }) {
  const t = useT()
  const { compute } = useAmounts(model)
  const summary = model.summary
  return (
    <div className="goes-in">
      <h3>{t('home.sample.in')}</h3>
      <p className="row">
        <Link to="/models/$id" params={{ id: model.id }}>
          {model.name}
        </Link>
        {summary && (
          <span className="s3 small">
            {t('model.nOperators', { n: summary.n_operators })}, {compute}
          </span>
        )}
      </p>
      <ul>
        {pool.devices.slice(0, 5).map((device) => (
          <li className="row" key={device.name}>
            <DeviceTag device={device} />
            <span className="grow cut">{device.display_name}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Preview({ search }: { search: Search }) {
  const t = useT()
  const { data: front } = useFront(search.id, search.front_revision)
  if (!front || front.plans.length < 2) return null
  return (
    <Link className="preview" to="/searches/$id" params={{ id: search.id }} onPointerEnter={preloadSearch} onFocus={preloadSearch}>
      <FrontPreview front={front} searchNumber={search.number} />
      <span className="micro s3">{t('home.sample.open', { number: search.number, n: front.plans.length })}</span>
    </Link>
  )
}

export function SampleCard({ sample, disabledReason }: { sample: Sample; disabledReason: string | null }) {
  const t = useT()
  const navigate = useNavigate()
  const start = useStartSample()
  const { model, pool, lastSearch } = sample
  const run = () =>
    start.mutate(undefined, {
      onSuccess: (search) => void navigate({ to: '/searches/$id', params: { id: search.id } }),
    })
  return (
    <section className="sample" aria-labelledby="sample-title">
      <div className="l">
        <h2 id="sample-title">{t('home.sample.title')}</h2>
        <p className="s2">
          {model?.summary && pool
            ? t('home.sample.text', {
                model: model.name,
                devices: listDevices(pool.devices, t('list.comma'), t('list.and')),
                n: model.summary.n_operators,
              })
            : t('home.sample.short')}
        </p>
        <Button
          kind="act"
          icon="play"
          busy={start.isPending}
          disabledReason={disabledReason}
          onClick={run}
          onPointerEnter={preloadSearch}
          onFocus={preloadSearch}
        >
          {t('home.sample.run')}
        </Button>
        {start.error && <ErrorBanner error={start.error} />}
      </div>
      {lastSearch ? <Preview search={lastSearch} /> : model && pool ? <Inputs model={model} pool={pool} /> : null}
    </section>
  )
}
