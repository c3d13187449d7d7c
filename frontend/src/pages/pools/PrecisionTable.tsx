// Peak compute and energy of a device per precision.
import type { DeviceSpec, FieldError } from '../../api/types'
import { Button } from '../../components/Button'
import { UNITS } from '../../format/units'
import { useT } from '../../i18n'
import { EDITED_SOURCE, updateFigure } from './draft'
import { FigureField, useFieldErrorText } from './FigureField'

const PRECISIONS = ['fp64', 'fp32', 'tf32', 'bf16', 'fp16', 'fp8', 'int8', 'int4'] as const

type Table = 'peak_gflop_per_s' | 'energy_pj_per_flop'

export interface DevicePartProps {
  device: DeviceSpec
  path: string
  readOnly: boolean
  errorAt: (path: string) => FieldError | undefined
  onChange: (change: Partial<DeviceSpec>) => void
}

function without(table: Record<string, number>, key: string): Record<string, number> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== key))
}

export function PrecisionTable({ device, path, readOnly, errorAt, onChange }: DevicePartProps) {
  const t = useT()
  const say = useFieldErrorText()
  const peaks = device.peak_gflop_per_s ?? {}
  const energies = device.energy_pj_per_flop ?? {}
  const present = PRECISIONS.filter((precision) => precision in peaks)
  const absent = PRECISIONS.filter((precision) => !(precision in peaks))
  const set = (table: Table, values: Record<string, number>, precision: string, value: number | null) =>
    onChange(updateFigure(device, { [table]: value === null ? without(values, precision) : { ...values, [precision]: value } }))
  const add = (precision: string) =>
    onChange(updateFigure(device, { peak_gflop_per_s: { ...peaks, [precision]: Number.NaN } }))
  const remove = (precision: string) =>
    onChange({
      ...updateFigure(device, { peak_gflop_per_s: without(peaks, precision) }),
      energy_pj_per_flop: without(energies, precision),
    })
  const source = (field: Table) => {
    const text = device.sources?.[field]
    return text === EDITED_SOURCE ? t('pool.source.edited') : text
  }
  const peakSource = source('peak_gflop_per_s')
  const energySource = source('energy_pj_per_flop')
  const problem = say(errorAt(`${path}.peak_gflop_per_s`)) ?? say(errorAt(`${path}.energy_pj_per_flop`))
  return (
    <fieldset className="group">
      <legend>{t('pool.group.compute')}</legend>
      <table className="small-table">
        <thead>
          <tr>
            <th>{t('pool.precision')}</th>
            <th className="num">{t('pool.peak')} TFLOP/s</th>
            <th className="num">{t('pool.energyPerFlop')} pJ/FLOP</th>
            {!readOnly && (
              <th>
                <span className="sr">{t('common.delete')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {present.map((precision) => (
            <tr key={precision}>
              <td>{precision}</td>
              <td>
                <FigureField
                  bare
                  label={t('pool.peakOf', { precision })}
                  value={peaks[precision]}
                  unit={UNITS.tflopPerS}
                  readOnly={readOnly}
                  error={errorAt(`${path}.peak_gflop_per_s.${precision}`)}
                  onChange={(value) => set('peak_gflop_per_s', peaks, precision, value ?? Number.NaN)}
                />
              </td>
              <td>
                <FigureField
                  bare
                  label={t('pool.energyOf', { precision })}
                  value={energies[precision]}
                  unit={UNITS.pjPerFlop}
                  readOnly={readOnly}
                  placeholder={t('pool.fromPower')}
                  error={errorAt(`${path}.energy_pj_per_flop.${precision}`)}
                  onChange={(value) => set('energy_pj_per_flop', energies, precision, value)}
                />
              </td>
              {!readOnly && (
                <td>
                  <Button
                    kind="quiet"
                    size="s"
                    icon="x"
                    aria-label={t('pool.removePrecision', { precision })}
                    onClick={() => remove(precision)}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {problem && <p className="wrong">{problem}</p>}
      {!readOnly && absent.length > 0 && (
        <select className="in add-select" value="" aria-label={t('pool.addPrecision')} onChange={(event) => add(event.target.value)}>
          <option value="">{t('pool.addPrecision')}</option>
          {absent.map((precision) => (
            <option key={precision}>{precision}</option>
          ))}
        </select>
      )}
      <p className="source long">
        {peakSource && t('pool.sourceOf', { what: t('pool.peak'), source: peakSource })}
        <br />
        {energySource && t('pool.sourceOf', { what: t('pool.energyPerFlop'), source: energySource })}
      </p>
    </fieldset>
  )
}
