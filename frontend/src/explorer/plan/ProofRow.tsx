/** The proof behind the lower bound of time: a button to start it, and the bound as it rises. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { api, unwrap } from '../../api/client'
import { keys, useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { Button } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { errorText } from '../../api/errors'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'
import { SolverPlan } from './SolverPlan'

const SECONDS = 90
/** Above this many operators the server refuses. */
const MOST_OPERATORS = 250

export function ProofRow({ plan }: { plan: Plan }) {
  const session = useSession()
  const { live } = useExplorer()
  const operators = plan.devices.reduce((sum, device) => sum + device.operators, 0)
  if (live || operators > MOST_OPERATORS || !canPlan(session.data)) return null
  return <Proof />
}

function Proof() {
  const t = useT()
  const f = useFormats()
  const client = useQueryClient()
  const { search, model, lang } = useExplorer()
  const key = ['proof', search.id]
  const path = { search_id: search.id }
  const { data: proof } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => unwrap(api.GET('/api/searches/{search_id}/proof/', { signal, params: { path } })),
    refetchInterval: ({ state }) => (state.data?.state === 'queued' || state.data?.state === 'running' ? 1000 : false),
  })
  const start = useMutation({
    mutationFn: () => unwrap(api.POST('/api/searches/{search_id}/prove/', { params: { path }, body: { seconds: SECONDS } })),
    onSuccess: (started) => client.setQueryData(key, started),
  })
  const stop = useMutation({
    mutationFn: (job: string) => unwrap(api.POST('/api/jobs/{job_id}/stop/', { params: { path: { job_id: job } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: key }),
  })
  const proved = proof?.lower_bound_ms ?? 0
  const ended = proof?.state === 'done' || proof?.state === 'stopped'
  const stale = ended && proved > model.front.lower_bound.exec_time_ms
  useEffect(() => {
    // The bound of the front is the proved one from now on.
    if (stale) void client.invalidateQueries({ queryKey: keys.front(search.id) })
  }, [stale, client, search.id])
  if (!proof) return null
  const busy = proof.state === 'queued' || proof.state === 'running'
  const ms = (value: number) => withUnit(value, model.scales.exec_time_ms, lang)
  const failure = start.error ?? (proof.state === 'failed' ? proof.error : null)
  let said = ''
  if (failure) said = errorText(failure, lang).title
  else if (proof.state === 'queued' || (busy && proof.lower_bound_ms === null)) said = t('explorer.proof.waits')
  else if (proof.status) {
    const figures = { bound: ms(proved), seconds: f.number(proof.seconds ?? 0), time: ms(proof.exec_time_ms ?? 0) }
    said = t(`explorer.proof.${proof.status}`, figures)
  }
  return (
    <>
      <dt>{t('explorer.proof')}</dt>
      <dd aria-live="polite">
        {said && <span className="s3">{said} </span>}
        {busy && proof.job && (
          <Button size="s" busy={stop.isPending} onClick={() => stop.mutate(proof.job ?? '')}>
            {t('explorer.proof.stop')}
          </Button>
        )}
        {!busy && proof.status !== 'optimal' && proof.status !== 'feasible' && (
          <Button
            size="s"
            title={t('explorer.proof.hint', { seconds: SECONDS })}
            busy={start.isPending}
            onClick={() => start.mutate()}
          >
            {t(proof.state === 'none' ? 'explorer.proof.start' : 'explorer.proof.again')}
          </Button>
        )}
      </dd>
      {!busy && proof.plan && proof.job && <SolverPlan found={proof.plan} job={proof.job} />}
    </>
  )
}
