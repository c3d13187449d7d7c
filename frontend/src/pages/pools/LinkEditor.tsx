// The link of the chosen cell of the heat map: its figures, its class, and the channel that it shares.
import { useRef, useEffect } from 'react'

import type { DeviceRef, LinkSpec } from '../../api/types'
import { Button } from '../../components/Button'
import { SelectField, TextField } from '../../components/Field'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { addLink, findLink, removeLink, updateLink } from './draft'
import { FigureField, useFieldErrorText } from './FigureField'
import { LINK_CLASSES, LINK_FIGURES, withoutFigure, withoutFigures } from './linkFields'
import { PairFit } from './PairFit'
import type { Draft } from './useDraft'

export interface LinkEditorProps {
  draft: Draft
  from: DeviceRef
  to: DeviceRef
  readOnly: boolean
  /** The saved version whose calibrations say what copies take. */
  saved: { id: string; version: number }
  /** Counts up whenever the first field is to have the focus. */
  focus: number
}

export function LinkEditor({ draft, from, to, readOnly, saved, focus }: LinkEditorProps) {
  const t = useT()
  const say = useFieldErrorText()
  const box = useRef<HTMLElement>(null)
  const { spec, change, errorAt } = draft
  const links = spec.links ?? []
  const found = findLink(links, from.name, to.name)
  useEffect(() => {
    if (focus > 0) box.current?.querySelector<HTMLElement>('input, select, button')?.focus()
  }, [focus])
  const measured = <PairFit pool={saved.id} version={saved.version} source={from.name} target={to.name} linked={Boolean(found)} />
  const title = (
    <h3 className="row wrap" aria-live="polite">
      <DeviceTag device={from} /> <span>{t('link.edit', { source: from.name, target: to.name })}</span> <DeviceTag device={to} />
    </h3>
  )
  if (!found) {
    return (
      <section className="link-editor" ref={box}>
        {title}
        <p className="small s2">{t('link.none')}</p>
        {measured}
        {!readOnly && (
          <Button size="s" icon="plus" onClick={() => change(addLink(spec, { source: from.name, target: to.name, link_class: 'PCIe' }))}>
            {t('link.make')}
          </Button>
        )}
      </section>
    )
  }
  const { link, at } = found
  const path = `links.${at}`
  const replace = (next: LinkSpec) => change({ ...spec, links: links.map((entry, index) => (index === at ? next : entry)) })
  const channels = [...new Set(links.map((one) => one.channel).filter((channel): channel is string => Boolean(channel)))].sort()
  const problem = say(errorAt(path))
  return (
    <section className="link-editor" ref={box} key={`${from.name} ${to.name}`}>
      {title}
      <div className="figures">
        {LINK_FIGURES.map(({ field, unit }) => (
          <FigureField
            key={field}
            label={t(`pool.link.${field}`)}
            value={link[field]}
            unit={unit}
            readOnly={readOnly}
            placeholder={t('pool.link.default')}
            error={errorAt(`${path}.${field}`)}
            onChange={(value) => replace(value === null ? withoutFigure(link, field) : { ...link, [field]: value })}
          />
        ))}
        <SelectField
          label={t('pool.link.class')}
          value={link.link_class ?? 'PCIe'}
          disabled={readOnly}
          onChange={(value) => replace(withoutFigures({ ...link, link_class: value }))}
        >
          {LINK_CLASSES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SelectField
          label={t('pool.link.directions')}
          value={link.directed ? 'one' : 'both'}
          disabled={readOnly}
          onChange={(value) => change(updateLink(spec, at, { directed: value === 'one' }))}
        >
          <option value="both">{t('pool.link.both')}</option>
          <option value="one">{t('pool.link.one')}</option>
        </SelectField>
        <TextField
          label={t('pool.link.channel')}
          list="link-channels"
          readOnly={readOnly}
          placeholder={t('pool.link.ownChannel')}
          value={link.channel ?? ''}
          error={say(errorAt(`${path}.channel`))}
          onChange={(value) => change(updateLink(spec, at, { channel: value.trim() === '' ? null : value }))}
        />
        <datalist id="link-channels">
          {channels.map((channel) => (
            <option key={channel} value={channel} />
          ))}
        </datalist>
      </div>
      {measured}
      {problem && <p className="wrong small">{problem}</p>}
      {!readOnly && (
        <Button kind="quiet" size="s" icon="trash" onClick={() => change(removeLink(spec, at))}>
          {t('pool.link.remove', { source: link.source, target: link.target })}
        </Button>
      )}
    </section>
  )
}
