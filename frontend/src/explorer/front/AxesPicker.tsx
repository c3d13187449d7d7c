/** Which measures stand on the axes of the front, colour its plans and size their marks. */
import { Button } from '../../components/Button'
import { SelectField } from '../../components/Field'
import { Popover } from '../../components/Popover'
import { useT } from '../../i18n'
import { withAxis } from '../logic/axes'
import { columnOf } from '../logic/measures'
import { rangeOf } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'

const PLACES = ['x', 'y', 'z'] as const

export function AxesPicker() {
  const t = useT()
  const names = useNames()
  const { model, state, update } = useExplorer()
  const { table, axes } = model
  const changed = state.axes !== null || axes.colour !== null || axes.size !== null
  const text = (key: MetricKey) =>
    rangeOf(columnOf(table, key)).constant ? `${names.title(key)} · ${t('explorer.constant')}` : names.title(key)
  const options = table.measures.map(({ key }) => (
    <option key={key} value={key}>
      {text(key)}
    </option>
  ))
  return (
    <Popover
      label={t('explorer.pick')}
      trigger={
        <Button kind="quiet" size="s" icon="axes" aria-label={t('explorer.pick')} title={t('explorer.pick')} data-on={changed || undefined}>
          <span className="hide-s">{t('explorer.pick.short')}</span>
        </Button>
      }
    >
      <div className="stack">
        {PLACES.map((place, at) => (
          <SelectField
            key={place}
            label={t(`explorer.pick.${place}`)}
            value={axes.keys[at as 0 | 1 | 2]}
            onChange={(key) => update({ axes: withAxis(axes.keys, at as 0 | 1 | 2, key) })}
          >
            {options}
          </SelectField>
        ))}
        <SelectField label={t('explorer.pick.colour')} value={axes.colour ?? ''} onChange={(key) => update({ colour: key || null })}>
          <option value="">{t('explorer.legend.score')}</option>
          {options}
        </SelectField>
        <SelectField label={t('explorer.pick.size')} value={axes.size ?? ''} onChange={(key) => update({ size: key || null })}>
          <option value="">{t('explorer.pick.same')}</option>
          {options}
        </SelectField>
        <Button kind="quiet" size="s" icon="reset" disabledReason={changed ? false : t('explorer.pick.reset.off')} onClick={() => update({ axes: null, colour: null, size: null })}>
          {t('explorer.pick.reset')}
        </Button>
      </div>
    </Popover>
  )
}
