// Which models' operators a calibration measures first.
import type { Model } from '../../api/types'
import { useT } from '../../i18n'

export interface ModelChecksProps {
  models: readonly Model[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

export function ModelChecks({ models, chosen, onChange }: ModelChecksProps) {
  const t = useT()
  return (
    <fieldset>
      <legend className="lab">{t('cal.start.models')}</legend>
      {models.length === 0 && <p className="small s3">{t('cal.start.noModels')}</p>}
      <div className="cal-models">
        {models.map(({ id, name }) => (
          <label className="check" key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={() => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
            />
            <span className="cut">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
