// Somebody as a round label with initials, and the name beside it.
import type { Person as Someone } from '../../api/reviews'

export function Initials({ person }: { person: Pick<Someone, 'initials'> | null }) {
  return (
    <span className="who still" aria-hidden="true">
      {person?.initials ?? '–'}
    </span>
  )
}

export function Person({ person }: { person: Someone }) {
  return (
    <span className="row person">
      <Initials person={person} />
      <span className="cut">{person.name}</span>
    </span>
  )
}
