/** Over the table of operators: select a group of them, and pin what is selected. */
import { announce, toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { DeviceTag } from '../../components/marks'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { useT } from '../../i18n'
import { withPins } from '../logic/pins'
import { useExplorer } from '../state/context'
import { useWork } from '../whatif/what-if'
import { byScope, byType, type Group, notOn } from './groups'
import { useSteering } from './steering'

export function GroupMenu() {
  const t = useT()
  return (
    <Menu
      trigger={
        <Button kind="quiet" size="s" icon="check">
          {t('explorer.steer.select')}
        </Button>
      }
    >
      <GroupItems />
    </Menu>
  )
}

/** Grouped when the menu opens, not with every plan that is shown. */
function GroupItems() {
  const t = useT()
  const { model } = useExplorer()
  const { operators, pins, select } = useSteering()
  const choose = ({ indices }: Group) => {
    select(indices)
    announce(t('explorer.steer.selected', { count: indices.length }))
  }
  const item = (group: Group, label: string) => (
    <MenuItem key={label} onSelect={() => choose(group)}>
      <span className="grow cut">{label}</span>
      <span className="s3 num">{group.indices.length}</span>
    </MenuItem>
  )
  const scopes = byScope(operators)
  const placed = model.front.devices.map((device, i) => ({
    name: device.name,
    tag: device.tag,
    indices: operators.filter((op) => op.device === i).map((op) => op.index),
  }))
  const pinned = Object.keys(pins).map(Number)
  return (
    <>
      <div className="say">{t('explorer.steer.by_type')}</div>
      {byType(operators).map((group) => item(group, group.name))}
      {scopes.length > 0 && <MenuLine />}
      {scopes.length > 0 && <div className="say">{t('explorer.steer.by_scope')}</div>}
      {scopes.map((group) => item(group, group.name))}
      <MenuLine />
      <div className="say">{t('explorer.steer.by_device')}</div>
      {placed.filter(({ indices }) => indices.length > 0).map((group) => item(group, `${group.tag} ${group.name}`))}
      {pinned.length > 0 && item({ name: 'pinned', indices: pinned }, t('explorer.steer.all_pinned'))}
    </>
  )
}

export function SelectBar() {
  const t = useT()
  const { model } = useExplorer()
  const { devices } = model.front
  const { operators, pins, selected, select, pin, setPins } = useSteering()
  const { tryOn } = useWork()
  if (selected.size === 0) return null
  const pinned = [...selected].filter((index) => pins[index] !== undefined)
  const pinTo = (device: number) => {
    const left = new Set(notOn(operators, selected, device))
    const can = [...selected].filter((index) => !left.has(index))
    if (can.length) pin(can, device)
    const tag = devices[device]?.tag ?? ''
    const said = t('explorer.steer.pinned_n', { count: can.length, tag })
    if (left.size) toast(`${said} ${t('explorer.steer.left_out', { count: left.size, tag })}`)
    else announce(said)
  }
  const tryAll = (device: number) => {
    const left = new Set(notOn(operators, selected, device))
    tryOn([...selected].filter((index) => !left.has(index)), device)
    if (left.size) toast(t('explorer.whatif.left_out', { count: left.size, tag: devices[device]?.tag ?? '' }))
  }
  const pinHere = () => {
    let next = pins
    for (const op of operators) if (selected.has(op.index)) next = withPins(next, [op.index], op.device)
    setPins(next)
    announce(t('explorer.steer.pinned_here', { count: selected.size }))
  }
  return (
    <div className="xp-select" role="toolbar" aria-label={t('explorer.steer.selection')} data-testid="selection">
      <b>{t('explorer.steer.selected', { count: selected.size })}</b>
      <Menu
        trigger={
          <Button size="s" icon="pin">
            {t('explorer.steer.pin_to')}
          </Button>
        }
      >
        {devices.map((device, i) => (
          <MenuItem key={device.name} onSelect={() => pinTo(i)}>
            <DeviceTag device={device} /> <span className="cut">{device.display_name}</span>
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={pinHere}>{t('explorer.steer.pin_here')}</MenuItem>
      </Menu>
      <Menu trigger={<Button size="s">{t('explorer.whatif.try_n')}</Button>}>
        {devices.map((device, i) => (
          <MenuItem key={device.name} onSelect={() => tryAll(i)}>
            <DeviceTag device={device} /> <span className="cut">{device.display_name}</span>
          </MenuItem>
        ))}
      </Menu>
      {pinned.length > 0 && (
        <Button size="s" onClick={() => pin(pinned, null)}>
          {t('explorer.steer.unpin_n', { count: pinned.length })}
        </Button>
      )}
      <Button kind="quiet" size="s" onClick={() => select([])}>
        {t('explorer.steer.deselect')}
      </Button>
    </div>
  )
}
