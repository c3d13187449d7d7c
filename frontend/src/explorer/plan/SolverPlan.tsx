/** The plan that a proof's solver found: what it takes, and the button that adds it to the front, or why it cannot. */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from '../../api/client'
import { errorParams, errorText } from '../../api/errors'
import { keys } from '../../api/queries'
import type { Proof } from '../../api/types'
import { Button } from '../../components/Button'
import { toast } from '../../components/announce'
import { translateCode, useT } from '../../i18n'
import { hashKey } from '../logic/address'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { Front } from '../types'

type Found = NonNullable<Proof['plan']>

export function SolverPlan({ found, job }: { found: Found; job: string }) {
  const t = useT()
  const client = useQueryClient()
  const { search, model, lang, update } = useExplorer()
  const path = { search_id: search.id }
  const choose = (hash: string) => update({ a: hashKey(hash) })
  const add = useMutation({
    mutationFn: async () => {
      const added = await unwrap(
        api.POST('/api/searches/{search_id}/proof/plan/', { params: { path }, body: { job } }),
      )
      // The new front is read before the page asks for it, so that the plan is there when it is chosen.
      await client.query({
        queryKey: [...keys.front(search.id), added.revision],
        queryFn: ({ signal }) =>
          unwrap(api.GET('/api/searches/{search_id}/front/', { signal, params: { path } })) as Promise<Front>,
      })
      await client.invalidateQueries({ queryKey: keys.search(search.id) })
      return added
    },
    onSuccess: ({ hash, number }) => {
      choose(hash)
      toast(t('explorer.proof.plan.added', { number }))
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['proof', search.id] }),
  })
  const reason = found.reason && translateCode('detail', found.reason.code, errorParams(found.reason.params), found.reason.code, lang)
  return (
    <>
      <dt>{t('explorer.proof.plan')}</dt>
      <dd>
        <span className="s3">{withUnit(found.exec_time_ms, model.scales.exec_time_ms, lang)} </span>
        {found.number !== null ? (
          <Button size="s" kind="quiet" onClick={() => choose(found.hash)}>
            {t('explorer.proof.plan.is', { number: found.number })}
          </Button>
        ) : (
          <Button
            size="s"
            title={found.addable ? t('explorer.proof.plan.hint') : undefined}
            disabledReason={found.addable ? null : t('explorer.proof.plan.cannot', { reason: reason ?? '' })}
            busy={add.isPending}
            onClick={() => add.mutate()}
          >
            {t('explorer.proof.plan.add')}
          </Button>
        )}
        {!found.addable && found.number === null && <span className="s3"> {reason}</span>}
        {add.error && <span className="xp-over"> {errorText(add.error, lang).title}</span>}
      </dd>
    </>
  )
}
