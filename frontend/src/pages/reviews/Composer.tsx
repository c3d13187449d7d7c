// A field for a comment; after an @ it offers the members whose names fit.
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'

import { useMembers } from '../../api/team'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'

export interface ComposerProps {
  label: string
  action: string
  busy: boolean
  initial?: string
  disabledReason?: string | null
  above?: ReactNode
  autoFocus?: boolean
  onSend: (body: string, done: () => void) => void
  onCancel?: () => void
}

const MOST_OFFERED = 5

export function Composer({ label, action, busy, initial = '', disabledReason = null, above, autoFocus, onSend, onCancel }: ComposerProps) {
  const t = useT()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const members = useMembers()
  const [text, setText] = useState(initial)
  const [typed, setTyped] = useState<string | null>(null)
  const offered =
    typed === null
      ? []
      : (members.data ?? [])
          .map((one) => one.user.name)
          .filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
          .slice(0, MOST_OFFERED)
  const look = () => {
    const at = field.current?.selectionStart ?? 0
    setTyped(/(?:^|[^\w.@-])@([^\s@]*)$/.exec(text.slice(0, at))?.[1] ?? null)
  }
  const insert = (name: string) => {
    const at = field.current?.selectionStart ?? text.length
    const start = text.slice(0, at).replace(/@[^\s@]*$/, `@${name} `)
    setText(start + text.slice(at))
    setTyped(null)
    field.current?.focus()
    requestAnimationFrame(() => field.current?.setSelectionRange(start.length, start.length))
  }
  const send = () => {
    const body = text.trim()
    if (body) onSend(body, () => setText(''))
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      send()
    } else if (event.key === 'Escape' && offered.length > 0) {
      event.stopPropagation()
      setTyped(null)
    }
  }
  return (
    <div className="composer">
      {above}
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        ref={field}
        className="in"
        rows={3}
        maxLength={10_000}
        value={text}
        placeholder={t('review.comment.placeholder')}
        disabled={disabledReason !== null}
        autoFocus={autoFocus}
        onChange={(event) => setText(event.target.value)}
        onSelect={look}
        onKeyDown={onKey}
      />
      {offered.length > 0 && (
        <div className="row wrap offered" role="group" aria-label={t('review.comment.suggestions')}>
          {offered.map((name) => (
            <Button key={name} size="s" onClick={() => insert(name)}>
              @{name}
            </Button>
          ))}
        </div>
      )}
      <div className="row end">
        {onCancel && (
          <Button kind="quiet" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
        )}
        <Button busy={busy} disabledReason={disabledReason} onClick={send}>
          {action}
        </Button>
      </div>
    </div>
  )
}
