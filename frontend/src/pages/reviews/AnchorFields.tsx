// What a new thread is about: the plan, an operator, a device's lane or a range of time.
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'

import { api, unwrap } from '../../api/client'
import type { AnchorAsked, ReviewDetail } from '../../api/reviews'
import { SelectField, TextField } from '../../components/Field'
import { useT } from '../../i18n'

export interface AnchorDraft {
  kind: AnchorAsked['kind']
  operator: string
  device: string
  start: string
  end: string
}

export const INITIAL_ANCHOR: AnchorDraft = { kind: 'plan', operator: '', device: '', start: '', end: '' }

/** The anchor that the fields describe; null while one of them is missing or wrong. */
export function readAnchor(draft: AnchorDraft): AnchorAsked | null {
  if (draft.kind === 'plan') return { kind: 'plan' }
  if (draft.kind === 'operator') {
    const index = /^(\d{1,9}) /.exec(`${draft.operator} `)?.[1]
    return index === undefined ? null : { kind: 'operator', operator: Number(index) }
  }
  if (draft.kind === 'lane') return draft.device ? { kind: 'lane', device: draft.device } : null
  const start = Number(draft.start)
  const end = Number(draft.end)
  if (draft.start.trim() === '' || draft.end.trim() === '' || !(start >= 0 && end > start && Number.isFinite(end))) return null
  return { kind: 'range', start_ms: start, end_ms: end, ...(draft.device && { device: draft.device }) }
}

/** The plan's operators, read once somebody wants to name one. */
function useOperators(review: ReviewDetail, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ['plan-operators', review.search.id, review.plan_hash],
    queryFn: async ({ signal }) => {
      const path = { search_id: review.search.id, number: review.plan_number }
      const query = { hash: review.plan_hash }
      const plan = await unwrap(
        api.GET('/api/searches/{search_id}/plans/{number}/', { signal, params: { path, query } }),
      )
      return plan.operators.map(({ index, name }) => ({ index, name }))
    },
    staleTime: Infinity,
  })
}

export interface AnchorFieldsProps {
  review: ReviewDetail
  draft: AnchorDraft
  wrong: boolean
  onChange: (draft: AnchorDraft) => void
}

export function AnchorFields({ review, draft, wrong, onChange }: AnchorFieldsProps) {
  const t = useT()
  const list = useId()
  const operators = useOperators(review, draft.kind === 'operator')
  const set = (change: Partial<AnchorDraft>) => onChange({ ...draft, ...change })
  const kinds: readonly AnchorAsked['kind'][] = ['plan', 'operator', 'lane', 'range']
  return (
    <div className="anchor-fields">
      <SelectField
        label={t('review.comment.on')}
        value={draft.kind}
        onChange={(kind) => set({ kind: kind as AnchorDraft['kind'] })}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`review.comment.on.${kind}`)}
          </option>
        ))}
      </SelectField>
      {draft.kind === 'operator' && (
        <>
          <TextField
            label={t('review.comment.operator')}
            placeholder={t('review.comment.operatorHint')}
            list={list}
            value={draft.operator}
            error={wrong && readAnchor(draft) === null ? t('review.comment.operatorUnknown') : null}
            onChange={(operator) => set({ operator })}
          />
          <datalist id={list}>
            {operators.data?.map(({ index, name }) => <option key={index} value={`${index} ${name}`} />)}
          </datalist>
        </>
      )}
      {(draft.kind === 'lane' || draft.kind === 'range') && (
        <SelectField
          label={t('review.comment.device')}
          value={draft.device}
          error={wrong && draft.kind === 'lane' && !draft.device ? t('review.comment.operatorUnknown') : null}
          onChange={(device) => set({ device })}
        >
          <option value="">{draft.kind === 'range' ? t('review.comment.anyDevice') : '–'}</option>
          {review.devices.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {draft.kind === 'range' && (
        <>
          <TextField
            label={t('review.comment.start')}
            numeric
            unit="ms"
            value={draft.start}
            error={wrong && readAnchor(draft) === null ? t('error.anchor_range') : null}
            onChange={(start) => set({ start })}
          />
          <TextField
            label={t('review.comment.end')}
            numeric
            unit="ms"
            value={draft.end}
            onChange={(end) => set({ end })}
          />
        </>
      )}
    </div>
  )
}
