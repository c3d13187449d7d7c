// How many operators of each type the model has.
import { useState } from 'react'

import { Bars } from '../../components/Bars'
import { Button } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

const FIRST = 12

export function TypeBars({ types }: { types: Record<string, number> }) {
  const t = useT()
  const formats = useFormats()
  const [all, setAll] = useState(false)
  const sorted = Object.entries(types).sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
  const shown = all ? sorted : sorted.slice(0, FIRST)
  const hidden = sorted.length - shown.length
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.types')}</h2>
        <span className="r small s3">{t('model.types.count')}</span>
      </div>
      <div className="body">
        <Bars items={shown.map(([name, value]) => ({ name, value, text: formats.number(value) }))} />
        {sorted.length > FIRST && (
          <div className="row small s3 after-bars">
            {hidden > 0 && <span>{t('model.types.more', { n: hidden })}</span>}
            <Button size="s" kind="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? t('model.types.fewer') : t('model.types.all')}
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
