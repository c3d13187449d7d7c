// The form of a training plan: nodes, network, model, workload; TOML in and out.
import { useState } from 'react'

import type { TrainingRequest } from '../../api/training'
import { useReadCluster } from '../../api/training'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { CheckField, SelectField, TextField } from '../../components/Field'
import { FileButton } from '../../components/FileButton'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { fromRequest, MEASURES, PRESETS, toRequest, toToml, type Draft } from './draft'
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
  const formats = useFormats()
  const read = useReadCluster()
  const [draft, setDraft] = useState(start)
  const change = (some: Partial<Draft>) => setDraft((old) => ({ ...old, ...some }))
  const setLevel = (at: number, some: Partial<Draft['levels'][number]>) =>
    change({ levels: draft.levels.map((level, place) => (place === at ? { ...level, ...some } : level)) })
  const load = (files: File[]) => {
    void files[0]?.text().then((text) => read.mutate(text, { onSuccess: (request) => setDraft(fromRequest(request)) }))
  }
  const busyGroups = draft.background.map((one) => `${one.level} ${one.group} ${formats.share(one.share)}`)
  return (
    <section className="sheet" aria-labelledby="training-form">
      <div className="head">
        <h2 id="training-form">{t('training.new')}</h2>
        <div className="r">
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
        <fieldset className="group">
          <legend>{t('training.network')}</legend>
          <div className="tr-form">
            <TextField label={t('training.card')} unit="GB/s" numeric value={draft.card} onChange={(card) => change({ card })} />
          </div>
          {draft.levels.map((level, at) => (
            <div className="tr-level" key={at}>
              <TextField
                label={t('training.level', { n: at + 1 })}
                value={level.name}
                onChange={(name) => setLevel(at, { name })}
              />
              <TextField
                label={t('training.uplink')}
                unit="GB/s"
                numeric
                value={level.uplink}
                onChange={(uplink) => setLevel(at, { uplink })}
              />
              <Button
                kind="quiet"
                icon="trash"
                aria-label={t('training.removeLevel', { n: at + 1 })}
                onClick={() =>
                  change({
                    levels: draft.levels.filter((_, place) => place !== at),
                    groups: draft.groups.map((one) => ({ ...one, places: one.places.filter((_, place) => place !== at) })),
                    background: draft.background.filter((one) => one.level !== level.name),
                  })
                }
              />
            </div>
          ))}
          {busyGroups.length > 0 && (
            <p className="small s2">{t('training.background', { list: busyGroups.join(t('list.comma')) })}</p>
          )}
          <div className="row" style={{ marginTop: 'var(--sp-4)' }}>
            <Button
              size="s"
              icon="plus"
              onClick={() =>
                change({
                  levels: [...draft.levels, { name: draft.levels.length ? 'pod' : 'rack', uplink: '100' }],
                  groups: draft.groups.map((one) => ({ ...one, places: [...one.places, one.gpu] })),
                })
              }
            >
              {t('training.addLevel')}
            </Button>
          </div>
        </fieldset>
        <fieldset className="group">
          <legend>{t('training.model')}</legend>
          <div className="tr-form">
            <SelectField label={t('training.preset')} value={draft.preset} onChange={(preset) => change({ preset })}>
              {PRESETS.map((name) => (
                <option key={name}>{name}</option>
              ))}
              <option value="custom">{t('training.custom')}</option>
            </SelectField>
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
