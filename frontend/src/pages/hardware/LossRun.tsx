// A comparison of training: the loss of each small network on both devices, and at which step they part.
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import type { Body, LossNetwork } from './comparison'
import { LossChart } from './LossChart'

function Network({ body, network }: { body: Body; network: LossNetwork }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const tolerance = body.summary.tolerance ?? 0
  const loss = (value: number | null) => (value === null ? '∞' : formats.figure(value))
  return (
    <figure className="pc-chart pc-loss">
      <figcaption>
        <div className="row wrap">
          <h3>{translateCode('precision.network', network.network, {}, network.network, lang)}</h3>
          <Chip tone={network.status === 'out' ? 'bad' : 'ok'}>{t(network.status === 'out' ? 'precision.out' : 'precision.within')}</Chip>
        </div>
        <p className="small s2">
          {network.first_step_out === null
            ? t('precision.loss.within', { n: network.steps, most: formats.small(network.largest_difference), tolerance: formats.small(tolerance) })
            : t('precision.loss.out', { step: network.first_step_out, most: formats.small(network.largest_difference), tolerance: formats.small(tolerance) })}{' '}
          {t('precision.loss.ends', { first: loss(network.left_first), left: loss(network.left_last), right: loss(network.right_last) })}
        </p>
      </figcaption>
      <LossChart steps={body.steps.filter((step) => step.network === network.network)} network={network} tolerance={tolerance} />
    </figure>
  )
}

export function LossRun({ body, left, right }: { body: Body; left: string; right: string }) {
  const t = useT()
  const networks = body.summary.networks ?? []
  const out = networks.filter((one) => one.status === 'out').length
  return (
    <div className="body stack">
      <p className="pc-verdict">{out > 0 ? t('precision.loss.parts', { out, n: networks.length }) : t('precision.loss.same')}</p>
      <p className="row wrap small s2">
        <span className="pc-key loss-left">{left}</span>
        <span className="pc-key loss-right">{right}</span>
        <span className="pc-key limit">{t('precision.tolerance')}</span>
      </p>
      <div className="pc-losses">
        {networks.map((network) => (
          <Network key={network.network} body={body} network={network} />
        ))}
      </div>
    </div>
  )
}
