/** The pins by device: how many operators each has, which ones, and a way to take each away. */
import { useState } from 'react'

import { Button } from '../../components/Button'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { byDevice } from '../logic/pins'
import { useExplorer } from '../state/context'
import { useSteering } from './steering'

const MOST = 50

export function PinList() {
  const t = useT()
  const { model, update } = useExplorer()
  const { pins, operators, pin } = useSteering()
  const [open, setOpen] = useState<number | null>(null)
  const name = new Map(operators.map((op) => [op.index, op.name]))
  const groups = [...byDevice(pins)]
  if (groups.length === 0) return <p className="small s3 xp-steer-none">{t('explorer.steer.no_pins')}</p>
  return (
    <ul className="xp-pins" aria-label={t('explorer.steer.pins')}>
      {groups.map(([device, list]) => {
        const to = model.front.devices[device]
        const tag = to?.tag ?? String(device)
        return (
          <li key={device}>
            <div className="row">
              {to && <DeviceTag device={to} />}
              <button type="button" className="xp-link grow" aria-expanded={open === device} onClick={() => setOpen(open === device ? null : device)}>
                {t('explorer.steer.operators', { count: list.length })}
              </button>
              <Button kind="quiet" size="s" icon="x" aria-label={t('explorer.steer.unpin_device', { tag })} title={t('explorer.steer.unpin_device', { tag })} onClick={() => pin(list, null)} />
            </div>
            {open === device && (
              <ul className="xp-pins-open">
                {list.slice(0, MOST).map((index) => (
                  <li key={index} className="row">
                    <button type="button" className="xp-link grow cut" title={name.get(index)} onClick={() => update({ operator: index })}>
                      {name.get(index) ?? t('explorer.steer.unknown')}
                    </button>
                    <Button kind="quiet" size="s" icon="x" aria-label={t('explorer.steer.unpin', { name: name.get(index) ?? '' })} onClick={() => pin([index], null)} />
                  </li>
                ))}
                {list.length > MOST && <li className="s3">{t('explorer.steer.more', { count: list.length - MOST })}</li>}
              </ul>
            )}
          </li>
        )
      })}
    </ul>
  )
}
