// What share of its peaks a device reaches, per class of operator.
import { UNITS } from '../../format/units'
import { translateCode, useLang, useT } from '../../i18n'
import { FigureField } from './FigureField'
import type { DevicePartProps } from './PrecisionTable'

export function EfficiencyTable({ device, path, readOnly, errorAt, onChange }: DevicePartProps) {
  const t = useT()
  const lang = useLang()
  const compute = device.efficiency ?? {}
  const bandwidth = device.bandwidth_efficiency ?? {}
  const classes = Object.keys(compute).filter((name) => name !== 'view')
  return (
    <details className="group">
      <summary>{t('pool.group.efficiency')}</summary>
      <p className="small s3">{t('pool.efficiency.hint')}</p>
      <table className="small-table">
        <thead>
          <tr>
            <th>{t('pool.opClass')}</th>
            <th className="num">{t('pool.ofCompute')}</th>
            <th className="num">{t('pool.ofBandwidth')}</th>
          </tr>
        </thead>
        <tbody>
          {classes.map((name) => {
            const shown = translateCode('opClass', name, {}, name, lang)
            return (
              <tr key={name}>
                <td>{shown}</td>
                <td>
                  <FigureField
                    bare
                    label={`${shown}, ${t('pool.ofCompute')}`}
                    value={compute[name]}
                    unit={UNITS.fraction}
                    readOnly={readOnly}
                    error={errorAt(`${path}.efficiency.${name}`)}
                    onChange={(value) => onChange({ efficiency: { ...compute, [name]: value ?? Number.NaN } })}
                  />
                </td>
                <td>
                  <FigureField
                    bare
                    label={`${shown}, ${t('pool.ofBandwidth')}`}
                    value={bandwidth[name]}
                    unit={UNITS.fraction}
                    readOnly={readOnly}
                    error={errorAt(`${path}.bandwidth_efficiency.${name}`)}
                    onChange={(value) => onChange({ bandwidth_efficiency: { ...bandwidth, [name]: value ?? Number.NaN } })}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </details>
  )
}
