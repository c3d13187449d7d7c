// The links of a pool: the matrix to see, the table to edit, and what was assumed.
import { useState } from 'react'

import type { DeviceRef } from '../../api/types'
import { Button } from '../../components/Button'
import { Empty } from '../../components/states'
import { useT } from '../../i18n'
import { addLink, findLink } from './draft'
import { useFieldErrorText } from './FigureField'
import { LinkCanvas } from './LinkCanvas'
import { LinkEditor } from './LinkEditor'
import { sharedChannels } from './linkFields'
import { LinkMatrix } from './LinkMatrix'
import { LinksTable } from './LinksTable'
import type { Cell } from './matrixKeys'
import type { Draft } from './useDraft'

/** Above it the heat map is drawn. */
const LARGEST_TABLE = 16
/** Above it links are edited in the heat map only. */
const MOST_ROWS = 200

export interface LinksSectionProps {
  draft: Draft
  devices: readonly DeviceRef[]
  readOnly: boolean
  saved: { id: string; version: number }
}

export function LinksSection({ draft, devices, readOnly, saved }: LinksSectionProps) {
  const t = useT()
  const say = useFieldErrorText()
  const [marked, setMarked] = useState<number | null>(null)
  const [cell, setCell] = useState<Cell | null>(null)
  const [focus, setFocus] = useState(0)
  const { spec, change, check } = draft
  const links = spec.links ?? []
  const assumed = (check?.notes ?? []).filter((note) => note.code === 'default_link')
  const whole = say(draft.errorAt('links'))

  const choose = (next: Cell) => {
    setCell(next)
    const [from, to] = [devices[next.row], devices[next.column]]
    setMarked(from && to ? (findLink(links, from.name, to.name)?.at ?? null) : null)
  }

  const addNext = () => {
    const [source, target] = spec.devices
    if (!source || !target) return
    setMarked(links.length)
    change(addLink(spec, { source: source.name, target: target.name, link_class: 'PCIe' }))
  }

  const from = cell ? devices[cell.row] : undefined
  const to = cell ? devices[cell.column] : undefined
  const Matrix = devices.length > LARGEST_TABLE ? LinkCanvas : LinkMatrix
  const channels = sharedChannels(links)
  return (
    <section className="sheet mt" aria-labelledby="links-title">
      <div className="head">
        <h2 id="links-title">{t('pool.links')}</h2>
        <span className="small s3">{t('pool.links.legend')}</span>
        {!readOnly && (
          <span className="r">
            <Button size="s" icon="plus" disabledReason={spec.devices.length < 2 ? t('pool.links.needTwo') : null} onClick={addNext}>
              {t('pool.link.add')}
            </Button>
          </span>
        )}
      </div>
      <div className="links-cols">
        {devices.length > 1 && (
          <div className="links-map">
            <Matrix devices={devices} links={links} chosen={cell} onChoose={choose} onEdit={() => setFocus((count) => count + 1)} />
            {from && to && from !== to ? (
              <LinkEditor key={`${from.name} ${to.name}`} draft={draft} from={from} to={to} readOnly={readOnly} saved={saved} focus={focus} />
            ) : (
              <p className="small s3 pad">{t('link.pick')}</p>
            )}
          </div>
        )}
        <div className="links-side">
          {links.length > MOST_ROWS ? null : links.length > 0 ? (
            <LinksTable draft={draft} readOnly={readOnly} marked={marked} />
          ) : (
            <Empty inSheet title={t('pool.links.none')}>
              <p>{t('pool.links.noneText')}</p>
            </Empty>
          )}
          {whole && <p className="wrong pad">{whole}</p>}
          {channels.length > 0 && (
            <div className="small s2 pad">
              <h3 className="small">{t('link.channels')}</h3>
              <ul className="channels">
                {channels.map(([channel, members]) => (
                  <li key={channel}>
                    {t('link.channel.members', {
                      channel,
                      list: members.map((link) => `${link.source} ${link.directed ? '→' : '↔'} ${link.target}`).join(t('list.comma')),
                    })}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {assumed.length > 0 && (
            <p className="small s3 pad">
              {t('pool.links.assumed', {
                n: assumed.length,
                list: assumed
                  .map(({ params }) => `${String(params.source)} – ${String(params.target)} (${String(params.link_class)})`)
                  .join(', '),
              })}
            </p>
          )}
        </div>
      </div>
    </section>
  )
}
