// The workspace: a sample search to start from, the team's searches, its models and pools.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

import { useModels, usePools, useSearches, useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { preloadSearchWhenIdle } from '../../app/preload'
import { useTitle } from '../../app/title'
import { useUpload } from '../../app/useUpload'
import { Button } from '../../components/Button'
import { FileButton } from '../../components/FileButton'
import { useT } from '../../i18n'
import { MachineCards } from '../pools/MachineCard'
import { findSample } from './sample'
import { SampleCard } from './SampleCard'
import { SearchesTable } from './SearchesTable'
import { ShortLists } from './ShortLists'

export const MODEL_FILES = '.onnx,.json,.zip,.tar,.tgz,.gz,.xz,.bz2,.data,.bin,.weight,.pb,.onnx_data'

export function HomePage() {
  const t = useT()
  const navigate = useNavigate()
  const upload = useUpload()
  const { data: session } = useSession()
  const models = useModels()
  const pools = usePools()
  const searches = useSearches()
  useTitle(t('home.title'))
  useEffect(preloadSearchWhenIdle, [])
  const may = canPlan(session)
  const reason = may ? null : t('forbidden.viewer')
  const sample = findSample(models.data?.results ?? [], pools.data?.results ?? [], searches.data?.results ?? [])
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="pagehead">
        <h1>{t('home.title')}</h1>
        <div className="r">
          <Button disabledReason={reason} onClick={() => void navigate({ to: '/pools', search: { new: true } })}>
            {t('home.newPool')}
          </Button>
          <FileButton accept={MODEL_FILES} multiple disabledReason={reason} onFiles={upload}>
            {t('home.uploadModel')}
          </FileButton>
        </div>
      </div>
      <SampleCard sample={sample} disabledReason={reason} />
      <MachineCards disabledReason={reason} />
      <section>
        <div className="head bare">
          <h2>{t('home.searches')}</h2>
        </div>
        <SearchesTable editable={may} />
      </section>
      <ShortLists />
    </main>
  )
}
