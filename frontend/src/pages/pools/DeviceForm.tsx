// All figures of one device, in groups, each with its unit and where it comes from.
import type { DeviceSpec, DeviceType, FieldError } from '../../api/types'
import { SelectField, TextField } from '../../components/Field'
import { UNITS, type Unit } from '../../format/units'
import { useT } from '../../i18n'
import type { poolMessages } from '../../i18n/messages/pools'
import { updateFigure } from './draft'
import { EfficiencyTable } from './EfficiencyTable'
import { FigureField, useFieldErrorText } from './FigureField'
import { OperatorLists } from './OperatorLists'
import { PrecisionTable } from './PrecisionTable'

export interface DeviceFormProps {
  device: DeviceSpec
  path: string
  readOnly: boolean
  errorAt: (path: string) => FieldError | undefined
  onChange: (change: Partial<DeviceSpec>) => void
  onRename: (name: string) => void
}

type FigureKey =
  | 'memory_size_bytes'
  | 'memory_bandwidth_gb_per_s'
  | 'energy_pj_per_byte'
  | 'memory_cap_bytes'
  | 'workspace_bytes'
  | 'idle_power_w'
  | 'active_power_w'
  | 'launch_overhead_us'
  | 'segment_launch_us'
  | 'cost_per_hour'

interface FigureSpec {
  field: FigureKey
  unit: Unit
  optional?: boolean
}

const GROUPS: readonly { title: keyof typeof poolMessages & `pool.group.${string}`; figures: readonly FigureSpec[] }[] = [
  {
    title: 'pool.group.memory',
    figures: [
      { field: 'memory_size_bytes', unit: UNITS.gigabytes },
      { field: 'memory_bandwidth_gb_per_s', unit: UNITS.gbPerS },
      { field: 'energy_pj_per_byte', unit: UNITS.pjPerByte },
      { field: 'memory_cap_bytes', unit: UNITS.gigabytes, optional: true },
      { field: 'workspace_bytes', unit: UNITS.megabytes },
    ],
  },
  {
    title: 'pool.group.power',
    figures: [
      { field: 'idle_power_w', unit: UNITS.watts },
      { field: 'active_power_w', unit: UNITS.watts },
      { field: 'launch_overhead_us', unit: UNITS.microseconds },
      { field: 'segment_launch_us', unit: UNITS.microseconds },
      { field: 'cost_per_hour', unit: UNITS.perHour, optional: true },
    ],
  },
]

const TYPES: readonly DeviceType[] = ['GPU', 'CPU', 'NPU', 'FPGA']

export function DeviceForm({ device, path, readOnly, errorAt, onChange, onRename }: DeviceFormProps) {
  const t = useT()
  const say = useFieldErrorText()
  const at = (field: string) => errorAt(`${path}.${field}`)
  const whole = errorAt(path)
  return (
    <div className="device-form">
      {whole && <p className="wrong">{say(whole)}</p>}
      <fieldset className="group">
        <legend>{t('pool.group.identity')}</legend>
        <div className="figures">
          <TextField label={t('pool.name')} value={device.name} readOnly={readOnly} error={say(at('name'))} onChange={onRename} />
          <TextField
            label={t('pool.displayName')}
            value={device.display_name ?? ''}
            readOnly={readOnly}
            error={say(at('display_name'))}
            onChange={(value) => onChange({ display_name: value })}
          />
          <TextField
            label={t('pool.vendor')}
            value={device.vendor ?? ''}
            readOnly={readOnly}
            error={say(at('vendor'))}
            onChange={(value) => onChange({ vendor: value })}
          />
          <SelectField
            label={t('pool.type')}
            value={device.device_type ?? 'GPU'}
            disabled={readOnly}
            error={say(at('device_type'))}
            onChange={(value) => onChange({ device_type: value as DeviceType })}
          >
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {t(`pool.type.${type}`)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t('pool.memoryDomain')}
            hint={t('pool.memoryDomain.hint')}
            value={device.memory_domain ?? ''}
            readOnly={readOnly}
            error={say(at('memory_domain'))}
            onChange={(value) => onChange({ memory_domain: value.trim() === '' ? null : value })}
          />
        </div>
      </fieldset>
      <PrecisionTable device={device} path={path} readOnly={readOnly} errorAt={errorAt} onChange={onChange} />
      {GROUPS.map((group) => (
        <fieldset className="group" key={group.title}>
          <legend>{t(group.title)}</legend>
          <div className="figures">
            {group.figures.map(({ field, unit, optional }) => (
              <FigureField
                key={field}
                label={t(`pool.figure.${field}`)}
                value={device[field]}
                unit={unit}
                readOnly={readOnly}
                placeholder={optional ? t('common.none') : ''}
                source={device.sources?.[field]}
                error={at(field)}
                onChange={(value) => onChange(updateFigure(device, { [field]: value }))}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <EfficiencyTable device={device} path={path} readOnly={readOnly} errorAt={errorAt} onChange={onChange} />
      <OperatorLists device={device} path={path} readOnly={readOnly} errorAt={errorAt} onChange={onChange} />
    </div>
  )
}
