/** One row a device: tag, name, operators, busy bar and share of the plan's time. Unused devices stay. */
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { DEVICE_SLOTS } from '../../theme/tokens'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'

export function DeviceRows({ plan }: { plan: Plan }) {
  const t = useT()
  const f = useFormats()
  const { model } = useExplorer()
  return (
    <ul className="xp-devices" aria-label={t('explorer.plan.devices')}>
      {model.front.devices.map((device, i) => {
        const use = plan.devices[i]
        const used = (use?.operators ?? 0) > 0
        const share = Math.min(1, use?.share ?? 0)
        const slot = ((Math.max(1, device.slot) - 1) % DEVICE_SLOTS) + 1
        return (
          <li key={device.name} className={used ? undefined : 's3'}>
            <DeviceTag device={device} />
            <span className="cut" title={`${device.name}, ${device.display_name}`}>
              {device.display_name}
            </span>
            <span className="num s3">
              {used ? f.number(use?.operators ?? 0) : <span className="sr">{t('explorer.plan.unused')}</span>}
              {used && <span className="sr"> {t('explorer.op.name')}</span>}
            </span>
            <span className="xp-busy" aria-hidden="true">
              <i style={{ width: `${share * 100}%`, background: `var(--dev-${slot})` }} />
            </span>
            <span className="num">{f.share(share)}</span>
          </li>
        )
      })}
    </ul>
  )
}
