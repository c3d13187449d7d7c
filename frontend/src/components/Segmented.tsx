// A segmented control: a few choices of which one is pressed.
import type { ReactNode } from 'react'

export interface SegmentedProps<V extends string> {
  label: string
  value: V
  options: readonly { value: V; label: ReactNode; title?: string }[]
  onChange: (value: V) => void
}

export function Segmented<V extends string>({ label, value, options, onChange }: SegmentedProps<V>) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          title={option.title}
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
