// A model that is being read, waits for dimensions, or is ready to be planned.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useSession } from '../../api/queries'
import type { Model } from '../../api/types'
import { canPlan } from '../../app/permissions'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { ModelChip } from '../../components/ModelChip'
import { useT } from '../../i18n'
import { ModelProfiles } from '../../profiles/ModelProfiles'
import { Bindings } from './Bindings'
import { DeleteModelDialog } from './DeleteModelDialog'
import { DimsForm } from './DimsForm'
import { Figures } from './Figures'
import { GraphPanel } from './GraphPanel'
import { InputsOutputs } from './InputsOutputs'
import { Measures } from './Measures'
import { Notes } from './Notes'
import { hasQuestions, OpenQuestions } from './OpenQuestions'
import { PlanDialog } from './PlanDialog'
import { RenameModelDialog } from './RenameModelDialog'
import { Versions } from './Versions'

function Subtitle({ model }: { model: Model }) {
  const t = useT()
  const parts = [
    model.kind === 'onnx' && model.summary?.opset ? t('model.sub.onnx', { opset: String(model.summary.opset) }) : t(`model.kind.${model.kind}`),
    model.is_sample ? t('model.sub.sample') : null,
    model.file_name ? t('model.sub.file', { file: model.file_name }) : null,
  ].filter((part) => part !== null)
  return (
    <p className="sub">
      {parts.join(' · ')}
      {model.sha256 && (
        <>
          {' · '}
          <span className="mono" title={model.sha256}>
            sha256 {model.sha256.slice(0, 16)}
          </span>
        </>
      )}
    </p>
  )
}

function Parsing() {
  const t = useT()
  return (
    <section className="sheet" role="status">
      <div className="prog" data-endless="true">
        <i />
      </div>
      <div className="body">
        <h2>{t('model.parsing.title')}</h2>
        <p className="read s2">{t('model.parsing.text')}</p>
      </div>
    </section>
  )
}

export function ModelPage({ model }: { model: Model }) {
  const t = useT()
  const navigate = useNavigate()
  const { data: session } = useSession()
  const { pool } = useSearch({ from: '/models/$id' })
  const [planning, setPlanning] = useState(pool !== undefined && model.state === 'ready')
  const [renaming, setRenaming] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const may = canPlan(session)
  const why = !may
    ? t('forbidden.viewer')
    : model.state === 'parsing'
      ? t('model.plan.parsing')
      : model.state === 'needs_dims'
        ? t('model.plan.dims')
        : null
  const summary = model.summary
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="pagehead">
        <div>
          <div className="row wrap">
            <h1>{model.name}</h1>
            {model.state !== 'ready' && <ModelChip state={model.state} />}
          </div>
          <Subtitle model={model} />
        </div>
        <div className="r">
          {may && (
            <Menu trigger={<Button icon="more" aria-label={t('models.actions', { name: model.name })} />}>
              <MenuItem onSelect={() => setRenaming(true)}>{t('model.rename')}</MenuItem>
              <MenuLine />
              <MenuItem bad onSelect={() => setDeleting(true)}>
                {t('model.delete')}
              </MenuItem>
            </Menu>
          )}
          <Button kind="act" disabledReason={why} onClick={() => setPlanning(true)}>
            {t('model.plan')}
          </Button>
        </div>
      </div>
      {model.state === 'parsing' && <Parsing />}
      {model.state === 'needs_dims' && <DimsForm model={model} editable={may} needed />}
      {summary && model.state === 'ready' && (
        <>
          <Figures summary={summary} tables={model.kind === 'tables'} />
          <div className="cols model-cols">
            <Measures key={summary.graph_hash} model={model} summary={summary} />
            <aside>
              <DimsForm key={JSON.stringify(model.dims)} model={model} editable={may} />
              {(model.dynamic_dims.length > 0 || model.bindings.length > 0) && <Bindings model={model} editable={may} />}
              <Notes summary={summary} />
              <Versions model={model} />
              {model.kind === 'onnx' && <ModelProfiles model={model} editable={may} />}
              <InputsOutputs inputs={summary.inputs} outputs={summary.outputs} />
            </aside>
          </div>
          {summary.questions && hasQuestions(summary.questions) ? (
            <OpenQuestions key={summary.graph_hash} model={model} questions={summary.questions} editable={may} />
          ) : (
            model.error && <ErrorBanner error={model.error} />
          )}
          <GraphPanel key={`graph ${summary.graph_hash}`} model={model} summary={summary} />
        </>
      )}
      {planning && <PlanDialog model={model} pool={pool} onClose={() => setPlanning(false)} />}
      {renaming && <RenameModelDialog model={model} onClose={() => setRenaming(false)} />}
      <DeleteModelDialog
        model={deleting ? model : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/models' })}
      />
    </main>
  )
}
