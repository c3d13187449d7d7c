// The network of a cluster: the cards, the levels above the nodes, and what other traffic takes of them.
import { Button } from '../../components/Button'
import { SelectField, TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { groupsOn, type Draft, type Level, type Traffic } from './draft'

export interface NetworkProps {
  draft: Draft
  onChange: (some: Partial<Draft>) => void
}

export function Network({ draft, onChange }: NetworkProps) {
  const t = useT()
  const { levels, background, groups } = draft
  const setLevel = (at: number, some: Partial<Level>) =>
    onChange({
      levels: levels.map((level, place) => (place === at ? { ...level, ...some } : level)),
      background: background.map((one) =>
        some.name !== undefined && one.level === levels[at]?.name ? { ...one, level: some.name } : one,
      ),
    })
  const removeLevel = (at: number) =>
    onChange({
      levels: levels.filter((_, place) => place !== at),
      groups: groups.map((one) => ({ ...one, places: one.places.filter((_, place) => place !== at) })),
      background: background.filter((one) => one.level !== levels[at]?.name),
    })
  const addLevel = () =>
    onChange({
      levels: [...levels, { name: levels.length === 0 ? 'rack' : levels.length === 1 ? 'pod' : `level ${levels.length + 1}`, uplink: '100' }],
      groups: groups.map((one) => ({ ...one, places: [...one.places, one.gpu] })),
    })
  const setTraffic = (at: number, some: Partial<Traffic>) =>
    onChange({ background: background.map((one, place) => (place === at ? { ...one, ...some } : one)) })
  const addTraffic = () => {
    const level = levels[0]?.name ?? ''
    onChange({ background: [...background, { level, group: groupsOn(draft, level)[0] ?? '', percent: '30' }] })
  }
  return (
    <fieldset className="group">
      <legend>{t('training.network')}</legend>
      <div className="tr-form">
        <TextField label={t('training.card')} unit="GB/s" numeric value={draft.card} onChange={(card) => onChange({ card })} />
      </div>
      {levels.map((level, at) => (
        <div className="tr-level" key={at}>
          <TextField label={t('training.level', { n: at + 1 })} value={level.name} onChange={(name) => setLevel(at, { name })} />
          <TextField
            label={t('training.uplink')}
            unit="GB/s"
            numeric
            value={level.uplink}
            onChange={(uplink) => setLevel(at, { uplink })}
          />
          <Button kind="quiet" icon="trash" aria-label={t('training.removeLevel', { n: at + 1 })} onClick={() => removeLevel(at)} />
        </div>
      ))}
      {background.map((one, at) => (
        <div className="tr-level tr-traffic" key={at}>
          <SelectField
            label={t('training.traffic.level')}
            value={one.level}
            onChange={(level) => setTraffic(at, { level, group: groupsOn(draft, level)[0] ?? '' })}
          >
            {levels.map((level, place) => (
              <option key={place}>{level.name}</option>
            ))}
          </SelectField>
          <SelectField label={t('training.traffic.group')} value={one.group} onChange={(group) => setTraffic(at, { group })}>
            {[...new Set([...groupsOn(draft, one.level), one.group])].map((group) => (
              <option key={group}>{group}</option>
            ))}
          </SelectField>
          <TextField
            label={t('training.traffic.share')}
            unit="%"
            numeric
            value={one.percent}
            onChange={(percent) => setTraffic(at, { percent })}
          />
          <Button
            kind="quiet"
            icon="trash"
            aria-label={t('training.traffic.remove', { level: one.level, group: one.group })}
            onClick={() => onChange({ background: background.filter((_, place) => place !== at) })}
          />
        </div>
      ))}
      <div className="row" style={{ marginTop: 'var(--sp-4)' }}>
        <Button size="s" icon="plus" onClick={addLevel}>
          {t('training.addLevel')}
        </Button>
        <Button
          size="s"
          icon="plus"
          disabledReason={levels.length === 0 ? t('training.traffic.noLevel') : null}
          onClick={addTraffic}
        >
          {t('training.addTraffic')}
        </Button>
      </div>
    </fieldset>
  )
}
