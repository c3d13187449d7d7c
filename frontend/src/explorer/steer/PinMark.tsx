/** The mark of a pinned operator: a pin, and the device where the plan has it elsewhere. */
import { Icon } from '../../components/icons'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'

export function PinMark({ device, placed }: { device: number; placed: number }) {
  const t = useT()
  const { model } = useExplorer()
  const to = model.front.devices[device]
  if (!to) return null
  const text = t('explorer.steer.pinned', { tag: to.tag })
  return (
    <span className="xp-pin" title={text}>
      <Icon name="pin" size={13} />
      <span className="sr">{text}</span>
      {device !== placed && <DeviceTag device={to} />}
    </span>
  )
}
