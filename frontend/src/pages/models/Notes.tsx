// What the reader of the file wants known: what is placed, what was estimated and why, odd things in the file.
import type { CodeWithParams, ModelSummary } from '../../api/types'
import { errorParams } from '../../api/errors'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'

const SHOWN = 50

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className="row fact">
      <dt className="small grow">{label}</dt>
      <dd className="small strong">{value}</dd>
    </div>
  )
}

function NoteText({ note }: { note: CodeWithParams }) {
  const lang = useLang()
  const fallback = `${note.code.replaceAll('_', ' ')}: ${JSON.stringify(note.params)}`
  return <li className="small">{translateCode('note', note.code, errorParams(note.params), fallback, lang)}</li>
}

export function Notes({ summary }: { summary: ModelSummary }) {
  const t = useT()
  const formats = useFormats()
  const lang = useLang()
  const estimated = summary.estimated_tensors
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.before')}</h2>
      </div>
      <div className="body">
        <dl>
          <Line
            label={t('model.before.fusion')}
            value={t('model.before.fused', { from: summary.n_operators, to: summary.n_schedulable })}
          />
          <Line label={t('model.before.estimated')} value={formats.number(summary.n_estimated_tensors)} />
        </dl>
        {summary.notes.length > 0 && (
          <ul className="notes">
            {summary.notes.slice(0, SHOWN).map((note, index) => (
              <NoteText key={index} note={note} />
            ))}
          </ul>
        )}
        {estimated.length > 0 && (
          <details className="small">
            <summary>{t('model.estimatedTensors')}</summary>
            <ul className="notes">
              {estimated.slice(0, SHOWN).map((tensor) => (
                <li key={tensor.name}>
                  <span className="mono">{tensor.name}</span>{' '}
                  <span className="s3">{translateCode('reason', tensor.reason, {}, tensor.reason, lang)}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  )
}
