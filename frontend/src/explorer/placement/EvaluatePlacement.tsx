/** A placement made by hand: given as a file or as text, computed as plans are, and shown beside plan A and the default. */
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { api, unwrap } from '../../api/client'
import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { FileButton } from '../../components/FileButton'
import { useT } from '../../i18n'
import { useKeep } from '../whatif/what-if'
import { useExplorer } from '../state/context'
import { PlacementResult } from './PlacementResult'

const ROWS = 8

function PlacementForm({ onKept }: { readonly onKept: () => void }) {
  const t = useT()
  const id = useId()
  const { search } = useExplorer()
  const [text, setText] = useState('')
  const asked = useMutation({
    mutationFn: (body: string) =>
      unwrap(
        api.POST('/api/searches/{search_id}/evaluate/', {
          params: { path: { search_id: search.id } },
          // The server tells CSV and JSON apart by the first character.
          body,
          bodySerializer: String,
          headers: { 'Content-Type': 'text/csv' },
        }),
      ),
  })
  const keep = useKeep()
  const session = useSession().data
  const cannot = !canPlan(session) ? t('explorer.whatif.not_yours') : asked.data && asked.data.overflow_bytes > 0 ? t('explorer.placement.no_fit') : asked.data ? null : t('explorer.placement.run_first')
  const store = async () => {
    const kept = await keep.mutateAsync(text)
    toast(t('explorer.whatif.kept', { number: kept.number }))
    onKept()
  }
  const take = async ([file]: File[]) => {
    if (!file) return
    const content = await file.text()
    setText(content)
    asked.mutate(content)
  }
  return (
    <>
      <div className="dbody xp-placement">
        <label className="lab" htmlFor={id}>
          {t('explorer.placement.text')}
        </label>
        <textarea
          id={id}
          className="in mono"
          rows={ROWS}
          spellCheck={false}
          placeholder={'operator,device\nconv1,gpu0'}
          aria-describedby={`${id}-hint`}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            asked.reset()
          }}
        />
        <p className="hint" id={`${id}-hint`}>
          {t('explorer.placement.hint')}
        </p>
        {asked.error && <ErrorBanner error={asked.error} />}
        {keep.error && <ErrorBanner error={keep.error} />}
        {asked.data && <PlacementResult plan={asked.data} />}
      </div>
      <div className="dfoot">
        <FileButton icon="up" accept=".csv,.json,text/csv,application/json" onFiles={(files) => void take(files)}>
          {t('explorer.placement.file')}
        </FileButton>
        <Button busy={keep.isPending} disabledReason={cannot} onClick={() => void store().catch(() => undefined)}>
          {t('explorer.placement.keep')}
        </Button>
        <Button
          kind="act"
          busy={asked.isPending}
          disabledReason={text.trim() ? null : t('explorer.placement.empty')}
          onClick={() => asked.mutate(text)}
        >
          {t('explorer.placement.run')}
        </Button>
      </div>
    </>
  )
}

export function EvaluatePlacement() {
  const t = useT()
  const [open, setOpen] = useState(false)
  return (
    <div className="xp-placement-open">
      <Button size="s" onClick={() => setOpen(true)}>
        {t('explorer.placement')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('explorer.placement')} wide>
        <PlacementForm onKept={() => setOpen(false)} />
      </Dialog>
    </div>
  )
}
