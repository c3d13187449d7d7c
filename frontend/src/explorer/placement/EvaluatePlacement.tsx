/** A placement made by hand: given as a file or as text, computed as plans are, and shown beside plan A and the default. */
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { api, unwrap } from '../../api/client'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { FileButton } from '../../components/FileButton'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { PlacementResult } from './PlacementResult'

const ROWS = 8

function PlacementForm() {
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
          onChange={(event) => setText(event.target.value)}
        />
        <p className="hint" id={`${id}-hint`}>
          {t('explorer.placement.hint')}
        </p>
        {asked.error && <ErrorBanner error={asked.error} />}
        {asked.data && <PlacementResult plan={asked.data} />}
      </div>
      <div className="dfoot">
        <FileButton icon="up" accept=".csv,.json,text/csv,application/json" onFiles={(files) => void take(files)}>
          {t('explorer.placement.file')}
        </FileButton>
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
        <PlacementForm />
      </Dialog>
    </div>
  )
}
