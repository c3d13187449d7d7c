// What a term means, behind a small button beside the place where it appears first: opens on a click, a tap or Enter; Escape closes it.
import { Popover as Radix } from 'radix-ui'
import { useId } from 'react'

import { useT } from '../i18n'

export type Term =
  | 'front'
  | 'knee'
  | 'hypervolume'
  | 'makespan'
  | 'energy'
  | 'balance'
  | 'throughput'
  | 'p99'
  | 'critical'
  | 'segment'
  | 'gap'
  | 'interval'
  | 'items'
  | 'whatif'
  | 'pin'

interface Props {
  readonly terms: readonly [Term, ...Term[]]
  /** What several terms have in common; one term is named itself. */
  readonly label?: string
}

export function Help({ terms, label }: Props) {
  const t = useT()
  const id = useId()
  const about = label ?? t(`help.${terms[0]}`)
  return (
    <Radix.Root>
      <Radix.Trigger asChild>
        <button type="button" className="help" aria-label={t('help.about', { term: about })} title={t('help.about', { term: about })}>
          <span aria-hidden="true">?</span>
        </button>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="popover help-text" align="start" sideOffset={4} collisionPadding={8} aria-label={about} aria-describedby={id}>
          <dl id={id}>
            {terms.map((term) => (
              <div key={term}>
                <dt>{t(`help.${term}`)}</dt>
                <dd>{t(`help.${term}.text`)}</dd>
              </div>
            ))}
          </dl>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
