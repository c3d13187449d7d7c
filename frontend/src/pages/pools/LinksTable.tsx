// The links of a pool, a line each, editable; a figure left empty is the default of its class.
import type { LinkSpec } from '../../api/types'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { removeLink, updateLink } from './draft'
import { FigureField, useFieldErrorText } from './FigureField'
import { LINK_CLASSES, LINK_FIGURES, withoutFigure, withoutFigures } from './linkFields'
import type { Draft } from './useDraft'

const HOST = 'host'

/** Where a link may end: the devices, and the implicit host when no device is a CPU. */
function ends(draft: Draft): string[] {
  const names = draft.spec.devices.map((device) => device.name)
  return draft.spec.devices.some((device) => device.device_type === 'CPU') ? names : [...names, HOST]
}

function Row({ draft, link, at, readOnly, marked }: { draft: Draft; link: LinkSpec; at: number; readOnly: boolean; marked: boolean }) {
  const t = useT()
  const say = useFieldErrorText()
  const { spec, change, errorAt } = draft
  const path = `links.${at}`
  const set = (part: Partial<LinkSpec>) => change(updateLink(spec, at, part))
  const pickEnd = (end: 'source' | 'target', label: string) => (
    <select className="in" disabled={readOnly} aria-label={label} value={link[end]} onChange={(event) => set({ [end]: event.target.value })}>
      {ends(draft).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
  const problem = say(errorAt(path)) ?? say(errorAt(`${path}.source`)) ?? say(errorAt(`${path}.target`))
  return (
    <>
      <tr aria-selected={marked} id={`link-${at}`}>
        <td>{pickEnd('source', t('pool.link.source'))}</td>
        <td>{pickEnd('target', t('pool.link.target'))}</td>
        <td>
          <select
            className="in"
            disabled={readOnly}
            aria-label={t('pool.link.class')}
            value={link.link_class ?? 'PCIe'}
            onChange={(event) =>
              change({
                ...spec,
                links: (spec.links ?? []).map((entry, index) =>
                  index === at ? withoutFigures({ ...entry, link_class: event.target.value }) : entry,
                ),
              })
            }
          >
            {LINK_CLASSES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </td>
        {LINK_FIGURES.map(({ field, unit }) => (
          <td key={field}>
            <FigureField
              bare
              label={t(`pool.link.${field}`)}
              value={link[field]}
              unit={unit}
              readOnly={readOnly}
              placeholder={t('pool.link.default')}
              error={errorAt(`${path}.${field}`)}
              onChange={(value) => {
                const next = value === null ? withoutFigure(link, field) : { ...link, [field]: value }
                change({ ...spec, links: (spec.links ?? []).map((entry, index) => (index === at ? next : entry)) })
              }}
            />
          </td>
        ))}
        <td>
          <select
            className="in way"
            disabled={readOnly}
            aria-label={t('pool.link.directions')}
            value={link.directed ? 'one' : 'both'}
            onChange={(event) => set({ directed: event.target.value === 'one' })}
          >
            <option value="both">{t('pool.link.both')}</option>
            <option value="one">{t('pool.link.one')}</option>
          </select>
        </td>
        <td>
          <input
            className="in"
            readOnly={readOnly}
            aria-label={t('pool.link.channel')}
            placeholder={t('pool.link.ownChannel')}
            value={link.channel ?? ''}
            onChange={(event) => set({ channel: event.target.value.trim() === '' ? null : event.target.value })}
          />
        </td>
        {!readOnly && (
          <td className="num">
            <Button
              kind="quiet"
              size="s"
              icon="trash"
              aria-label={t('pool.link.remove', { source: link.source, target: link.target })}
              onClick={() => change(removeLink(spec, at))}
            />
          </td>
        )}
      </tr>
      {problem && (
        <tr>
          <td colSpan={9} className="wrong small">
            {problem}
          </td>
        </tr>
      )}
    </>
  )
}

export function LinksTable({ draft, readOnly, marked }: { draft: Draft; readOnly: boolean; marked: number | null }) {
  const t = useT()
  const links = draft.spec.links ?? []
  return (
    <div className="scroll-x">
      <table className="links">
        <thead>
          <tr>
            <th>{t('pool.link.source')}</th>
            <th>{t('pool.link.target')}</th>
            <th>{t('pool.link.class')}</th>
            <th className="num">{t('pool.bandwidth')} GB/s</th>
            <th className="num">{t('pool.link.latency')} µs</th>
            <th className="num">{t('pool.link.energy')} pJ/B</th>
            <th>{t('pool.link.directions')}</th>
            <th>{t('pool.link.channel')}</th>
            {!readOnly && (
              <th>
                <span className="sr">{t('common.delete')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {links.map((link, at) => (
            <Row key={at} draft={draft} link={link} at={at} readOnly={readOnly} marked={marked === at} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
