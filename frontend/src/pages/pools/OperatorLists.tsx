// Which ONNX operator types a device can run.
import { useId, useState } from 'react'

import { CheckField } from '../../components/Field'
import { useT } from '../../i18n'
import { useFieldErrorText } from './FigureField'
import { OperatorMapPicker } from './OperatorMapPicker'
import type { DevicePartProps } from './PrecisionTable'

function readList(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}

interface ListFieldProps {
  label: string
  names: readonly string[]
  readOnly: boolean
  error: string | null
  onChange: (names: string[]) => void
}

function ListField({ label, names, readOnly, error, onChange }: ListFieldProps) {
  const id = useId()
  const [text, setText] = useState(names.join(', '))
  const shown = readList(text).join() === names.join() ? text : names.join(', ')
  return (
    <div className="field">
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className="in"
        rows={3}
        readOnly={readOnly}
        spellCheck={false}
        value={shown}
        aria-invalid={error ? true : undefined}
        onChange={(event) => {
          setText(event.target.value)
          onChange(readList(event.target.value))
        }}
      />
      {error && <p className="wrong">{error}</p>}
    </div>
  )
}

export function OperatorLists({ device, path, readOnly, errorAt, onChange }: DevicePartProps) {
  const t = useT()
  const say = useFieldErrorText()
  const supported = device.supported_ops
  const all = supported === undefined || supported === 'all'
  return (
    <details className="group">
      <summary>{t('pool.group.operators')}</summary>
      <div className="stack">
        <CheckField
          label={t('pool.allOperators')}
          checked={all}
          disabled={readOnly}
          onChange={(checked) => onChange({ supported_ops: checked ? 'all' : [] })}
        />
        {!all && (
          <ListField
            label={t('pool.supported')}
            names={supported}
            readOnly={readOnly}
            error={say(errorAt(`${path}.supported_ops`))}
            onChange={(names) => onChange({ supported_ops: names })}
          />
        )}
        <ListField
          label={t('pool.unsupported')}
          names={device.unsupported_ops ?? []}
          readOnly={readOnly}
          error={say(errorAt(`${path}.unsupported_ops`))}
          onChange={(names) => onChange({ unsupported_ops: names })}
        />
        <OperatorMapPicker device={device} readOnly={readOnly} onChange={onChange} />
      </div>
    </details>
  )
}
