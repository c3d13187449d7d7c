// A long name that breaks after its slashes and dots before it breaks inside a word.
import { Fragment } from 'react'

export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[/.])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
