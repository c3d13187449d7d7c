// The links of a pool: the matrix to see, the table to edit, and what was assumed.
import { useState } from 'react'

import type { DeviceRef } from '../../api/types'
import { Button } from '../../components/Button'
import { Empty } from '../../components/states'
import { useT } from '../../i18n'
import { addLink, findLink } from './draft'
import { useFieldErrorText } from './FigureField'
import { LinkMatrix } from './LinkMatrix'
import { LinksTable } from './LinksTable'
import type { Draft } from './useDraft'

const LARGEST_MATRIX = 16

export function LinksSection({ draft, devices, readOnly }: { draft: Draft; devices: readonly DeviceRef[]; readOnly: boolean }) {
  const t = useT()
  const say = useFieldErrorText()
  const [marked, setMarked] = useState<number | null>(null)
  const { spec, change, check } = draft
  const links = spec.links ?? []
  const assumed = (check?.notes ?? []).filter((note) => note.code === 'default_link')
  const whole = say(draft.errorAt('links'))

  const pick = (source: string, target: string) => {
    const found = findLink(links, source, target)
    if (found) {
      setMarked(found.at)
      document.getElementById(`link-${found.at}`)?.scrollIntoView({ block: 'nearest' })
    } else if (!readOnly) {
      setMarked(links.length)
      change(addLink(spec, { source, target, link_class: 'PCIe' }))
    }
  }

  const addNext = () => {
    const [source, target] = spec.devices
    if (source && target) pick(source.name, target.name)
    setMarked(links.length)
    if (source && target && findLink(links, source.name, target.name)) {
      change(addLink(spec, { source: source.name, target: target.name, link_class: 'PCIe' }))
    }
  }

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
        {devices.length > 1 && devices.length <= LARGEST_MATRIX && <LinkMatrix devices={devices} links={links} readOnly={readOnly} onPick={pick} />}
        <div className="links-side">
          {links.length > 0 ? (
            <LinksTable draft={draft} readOnly={readOnly} marked={marked} />
          ) : (
            <Empty inSheet title={t('pool.links.none')}>
              <p>{t('pool.links.noneText')}</p>
            </Empty>
          )}
          {whole && <p className="wrong pad">{whole}</p>}
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
