// The line icons, drawn on a 16-pixel grid in the colour of the text.
const PATHS = {
  bell: 'M3.5 11.5h9l-1.2-1.7V7a3.3 3.3 0 0 0-6.6 0v2.8zM6.7 13.5h2.6',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 14 14',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  down: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  up: 'M8 13.5v-8M4.5 8.5 8 5l3.5 3.5M3 2.5h10',
  link: 'M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.2-2.2a2.5 2.5 0 0 0-3.6-3.6L8 4.4M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.7 8.7a2.5 2.5 0 0 0 3.6 3.6l.7-.7',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  x: 'M4 4l8 8M12 4l-8 8',
  undo: 'M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6',
  reset: 'M3 8a5 5 0 1 0 1.5-3.5L3 6M3 2.5V6h3.5',
  play: 'M5 3.5v9l7-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  swap: 'M4 6h8l-2.5-2.5M12 10H4l2.5 2.5',
  pin: 'M8 9.5V14M5 9.5h6M6 3h4l-.5 3.5 1.5 3H5l1.5-3z',
  check: 'M3 8.5 6.5 12 13 4.5',
  axes: 'M3.5 2.5v10h10M6 10l2.5-3.5 2 1.5 3-4.5',
  full: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  plus: 'M8 3v10M3 8h10',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M6.8 7v4M9.2 7v4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  chevron: 'M4 6l4 4 4-4',
  left: 'M10 3.5 5.5 8 10 12.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1.5V8.5z',
  warn: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 12h.01',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <path d="M2 2v14h14" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M4.5 4c.6 5.2 3.6 8.6 9.5 9.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <circle cx="7" cy="9.6" r="2.3" fill="currentColor" />
    </svg>
  )
}
