// A figure with its unit, its source and what is wrong with it.
import { useId, useState } from 'react'

import type { FieldError } from '../../api/types'
import { errorText } from '../../api/errors'
import { fromInput, toInput, type Unit } from '../../format/units'
import { useLang, useT } from '../../i18n'
import { EDITED_SOURCE, ESTIMATED } from './draft'

export interface FigureProps {
  label: string
  value: number | null | undefined
  unit: Unit
  readOnly: boolean
  source?: string | undefined
  error?: FieldError | undefined
  placeholder?: string
  /** Hides the label from sight, for figures in a table with heads. */
  bare?: boolean
  onChange: (value: number | null) => void
}

/** The text of a server's field error in the language of the page. */
export function useFieldErrorText(): (error: FieldError | undefined, unit?: Unit) => string | null {
  const lang = useLang()
  return (error, unit) => {
    if (!error) return null
    const { title, hint } = errorText({ ...error, hint: '' }, lang, unit)
    return hint ? `${title}. ${hint}` : title
  }
}

/** Where a figure is from: what the product itself writes is in the language of the page, the rest as it stands. */
function sourceText(source: string | undefined, t: ReturnType<typeof useT>): string | undefined {
  if (source === EDITED_SOURCE) return t('pool.source.edited')
  if (source?.startsWith(`${ESTIMATED}: `)) return t('pool.source.estimated', { how: source.slice(ESTIMATED.length + 2) })
  return source
}

function sameFigure(text: string, value: number | null | undefined, unit: Unit): boolean {
  return Object.is(fromInput(text, unit), value ?? null)
}

export function FigureField({ label, value, unit, readOnly, source, error, placeholder, bare = false, onChange }: FigureProps) {
  const t = useT()
  const id = useId()
  const say = useFieldErrorText()
  const [text, setText] = useState(() => toInput(value, unit))
  const shown = sameFigure(text, value, unit) ? text : toInput(value, unit)
  const wrong = Number.isNaN(value) ? t('pool.notNumber') : say(error, unit)
  const note = wrong ?? sourceText(source, t)
  return (
    <div className="field figure-field">
      <label className={bare ? 'sr' : 'lab'} htmlFor={id}>
        {label}
      </label>
      <span className="unit">
        <input
          id={id}
          className="in n"
          inputMode="decimal"
          autoComplete="off"
          readOnly={readOnly}
          placeholder={placeholder}
          value={shown}
          aria-invalid={wrong ? true : undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          onChange={(event) => {
            setText(event.target.value)
            onChange(fromInput(event.target.value, unit))
          }}
        />
        {unit.label && !bare && <span>{unit.label}</span>}
      </span>
      {note && (
        <p id={`${id}-note`} className={wrong ? 'wrong' : 'source'} title={wrong ? undefined : note}>
          {note}
        </p>
      )}
    </div>
  )
}
