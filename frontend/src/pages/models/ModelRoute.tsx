// The address of a model: loads it and shows the page of its state.
import { useParams } from '@tanstack/react-router'

import { useModel } from '../../api/queries'
import { useTitle } from '../../app/title'
import { PageFailed } from '../Faults'
import { ModelPage } from './ModelPage'
import { RefusedModel } from './RefusedModel'

export function ModelRoute() {
  const { id } = useParams({ from: '/models/$id' })
  const model = useModel(id)
  useTitle(model.data?.name)
  if (model.error && !model.data) return <PageFailed error={model.error} onRetry={() => void model.refetch()} />
  if (!model.data) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />
  if (model.data.state === 'refused') return <RefusedModel model={model.data} />
  return <ModelPage key={model.data.id} model={model.data} />
}
