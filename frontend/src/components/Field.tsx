// A labelled input with its unit, hint and error, wired for screen readers.
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react'

interface FieldFrame {
  label: ReactNode
  hint?: ReactNode
  error?: string | null | undefined
}

function Frame({ id, label, hint, error, children }: FieldFrame & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      {children}
      {error ? (
        <p className="wrong" id={`${id}-error`}>
          {error}
        </p>
      ) : (
        hint && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
}

function describedBy(id: string, hint: ReactNode, error: string | null | undefined): string | undefined {
  if (error) return `${id}-error`
  return hint ? `${id}-hint` : undefined
}

export interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'>, FieldFrame {
  value: string
  unit?: ReactNode
  /** Right-aligned figures and a numeric keyboard. */
  numeric?: boolean
  onChange: (value: string) => void
}

export function TextField({ label, hint, error, unit, numeric = false, onChange, ...rest }: TextFieldProps) {
  const id = useId()
  const input = (
    <input
      {...rest}
      id={id}
      className={numeric ? 'in m n' : 'in m'}
      inputMode={numeric ? 'decimal' : rest.inputMode}
      autoComplete="off"
      aria-invalid={error ? true : undefined}
      aria-describedby={describedBy(id, hint, error)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      {unit ? (
        <span className="unit">
          {input}
          <span>{unit}</span>
        </span>
      ) : (
        input
      )}
    </Frame>
  )
}

export interface SelectFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'>, FieldFrame {
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export function SelectField({ label, hint, error, onChange, children, ...rest }: SelectFieldProps) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        {...rest}
        id={id}
        className="in m"
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        onChange={(event) => onChange(event.target.value)}
      >
        {children}
      </select>
    </Frame>
  )
}

export interface CheckFieldProps {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

export function CheckField({ label, hint, checked, disabled = false, onChange }: CheckFieldProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        {hint && <span className="small s3" style={{ display: 'block' }}>{hint}</span>}
      </span>
    </label>
  )
}
