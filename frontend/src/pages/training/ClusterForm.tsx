// The form of a training plan: nodes, network, model, workload; TOML in and out.
import { useState } from 'react'

import type { TrainingRequest } from '../../api/training'
import { useReadCluster } from '../../api/training'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { CheckField, SelectField, TextField } from '../../components/Field'
import { FileButton } from '../../components/FileButton'
import { useT } from '../../i18n'
import { fromRequest, MEASURES, PRESETS, toRequest, toToml, type Draft } from './draft'
import { Network } from './Network'
import { NodeGroups } from './NodeGroups'

export interface ClusterFormProps {
  start: Draft
  busy: boolean
  error: unknown
  disabledReason: string | null
  onPlan: (request: TrainingRequest) => void
}

function download(text: string, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/toml' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

export function ClusterForm({ start, busy, error, disabledReason, onPlan }: ClusterFormProps) {
  const t = useT()
  const read = useReadCluster()
  const [draft, setDraft] = useState(start)
  const change = (some: Partial<Draft>) => setDraft((old) => ({ ...old, ...some }))
  const load = (files: File[]) => {
    void files[0]?.text().then((text) => read.mutate(text, { onSuccess: (request) => setDraft(fromRequest(request)) }))
  }
  return (
    <section className="sheet" aria-labelledby="training-form">
      <div className="head">
        <h2 id="training-form">{t('training.new')}</h2>
        <div className="r row">
          <FileButton accept=".toml" size="s" onFiles={load}>
            {t('training.import')}
          </FileButton>
          <Button size="s" onClick={() => download(toToml(toRequest(draft)), 'cluster.toml')}>
            {t('training.export')}
          </Button>
        </div>
      </div>
      <div className="body stack">
        {read.error && <ErrorBanner error={read.error} />}
        <div className="tr-form">
          <TextField label={t('training.name')} value={draft.name} maxLength={200} onChange={(name) => change({ name })} />
        </div>
        <NodeGroups groups={draft.groups} levels={draft.levels} onChange={(groups) => change({ groups })} />
        <Network draft={draft} onChange={change} />
        <fieldset className="group">
          <legend>{t('training.model')}</legend>
          <div className="tr-form">
            <SelectField label={t('training.preset')} value={draft.preset} onChange={(preset) => change({ preset })}>
              {PRESETS.map((name) => (
                <option key={name}>{name}</option>
              ))}
              <option value="custom">{t('training.custom')}</option>
            </SelectField>
            {draft.preset === 'custom' && (
              <TextField
                label={t('training.modelName')}
                value={draft.modelName}
                maxLength={200}
                onChange={(modelName) => change({ modelName })}
              />
            )}
            {draft.preset === 'custom' &&
              MEASURES.map((name) => (
                <TextField
                  key={name}
                  label={t(`training.measure.${name}`)}
                  numeric
                  value={draft.measures[name]}
                  onChange={(text) => change({ measures: { ...draft.measures, [name]: text } })}
                />
              ))}
            <TextField
              label={t('training.sequence')}
              numeric
              value={draft.sequence}
              onChange={(sequence) => change({ sequence })}
            />
            <TextField
              label={t('training.sequences')}
              numeric
              value={draft.sequences}
              onChange={(sequences) => change({ sequences })}
            />
            <SelectField label={t('training.schedule')} value={draft.schedule} onChange={(schedule) => change({ schedule })}>
              <option value="1f1b">1F1B</option>
              <option value="gpipe">GPipe</option>
            </SelectField>
          </div>
          <div className="tr-checks">
            <CheckField
              label={t('training.zero1')}
              hint={t('training.zero1.hint')}
              checked={draft.zero1}
              onChange={(zero1) => change({ zero1 })}
            />
            <CheckField
              label={t('training.several')}
              hint={t('training.several.hint')}
              checked={draft.several}
              onChange={(several) => change({ several })}
            />
          </div>
          {Object.keys(draft.rest).length > 0 && (
            <div className="row">
              <span className="s2">
                {t('training.rest', { rest: Object.entries(draft.rest).map(([key, one]) => `${key} = ${String(one)}`).join('; ') })}
              </span>
              <Button size="s" onClick={() => change({ rest: {} })}>
                {t('training.rest.drop')}
              </Button>
            </div>
          )}
        </fieldset>
        {error !== null && error !== undefined && <ErrorBanner error={error} />}
        <div className="row">
          <Button kind="act" icon="play" busy={busy} disabledReason={disabledReason} onClick={() => onPlan(toRequest(draft))}>
            {t('training.start')}
          </Button>
        </div>
      </div>
    </section>
  )
}
