// The chosen format: what loads it, what it holds, its options, and why it refuses the plan where it does.
import { useState } from 'react'

import { errorText, versionsText } from '../../api/errors'
import type { ExportFormat } from '../../api/exports'
import { Banner, ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { SelectField, TextField } from '../../components/Field'
import { translateCode, useLang, useT } from '../../i18n'

export interface FormatPanelProps {
  format: ExportFormat
  /** Names of the pool's devices, for options that are given a device. */
  devices: readonly string[]
  busy: boolean
  error: unknown
  disabledReason: string | null
  onMake: (options: Record<string, string>) => void
}

const MOST_DEVICES = 16

/** The options that can be filled in: one that ends in `.*` once for each device. */
export function optionFields(format: ExportFormat, devices: readonly string[]) {
  return format.options.flatMap((option) =>
    option.name.endsWith('.*')
      ? devices.slice(0, MOST_DEVICES).map((device) => ({ ...option, name: `${option.name.slice(0, -1)}${device}` }))
      : [option],
  )
}

/** Whether an option is one of yes or no, by what it usually is. */
function isAnswer(usual: string): boolean {
  return usual === 'yes' || usual === 'no'
}

export function FormatPanel({ format, devices, busy, error, disabledReason, onMake }: FormatPanelProps) {
  const t = useT()
  const lang = useLang()
  const [values, setValues] = useState<Record<string, string>>({})
  const fields = optionFields(format, devices)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
  // With options the plan may fit after all: then the server says.
  const refused = format.refusals.length > 0 && Object.keys(given).length === 0
  return (
    <section className="sheet" aria-labelledby="download-format">
      <div className="head">
        <h2 id="download-format">{translateCode('download.name', format.key, {}, format.key, lang)}</h2>
        <div className="r">
          <Button
            kind="act"
            icon="down"
            busy={busy}
            disabledReason={disabledReason ?? (refused ? t('download.why') : null)}
            onClick={() => onMake(given)}
          >
            {t('download.make')}
          </Button>
        </div>
      </div>
      <div className="body stack">
        {format.refusals.length > 0 && (
          <Banner tone="warn" title={t('download.why')}>
            {format.refusals.map((refusal, at) => {
              const text = errorText(refusal, lang)
              return (
                <p key={at}>
                  {text.title}. {text.hint}
                </p>
              )
            })}
          </Banner>
        )}
        {error !== null && error !== undefined && <ErrorBanner error={error} />}
        <dl className="dl-facts">
          <dt>{t('download.loadsIn')}</dt>
          <dd>
            {format.engine} {versionsText(format.key, format.versions, lang)}
          </dd>
          <dt>{t('download.holds')}</dt>
          <dd>
            {format.expresses
              .map((what) => translateCode('download.expresses', what, {}, what, lang))
              .join(t('list.comma'))}
          </dd>
        </dl>
        {format.reads_back && <p className="small s2">{t('download.readsBack')}</p>}
        {fields.length > 0 && (
          <fieldset className="group">
            <legend>{t('download.options')}</legend>
            <div className="dl-options">
              {fields.map(({ name, meaning, default: usual }) => {
                const [key = '', ...device] = name.split('.')
                const of = {
                  label: [translateCode('download.optionName', key, {}, key, lang), device.join('.')].filter(Boolean).join(' · '),
                  hint: translateCode('download.option', key, {}, meaning, lang),
                  title: name,
                  onChange: (value: string) => setValues((old) => ({ ...old, [name]: value })),
                }
                return isAnswer(usual) ? (
                  <SelectField key={name} {...of} value={values[name] ?? usual}>
                    <option value="yes">{t('download.yes')}</option>
                    <option value="no">{t('download.no')}</option>
                  </SelectField>
                ) : (
                  <TextField key={name} {...of} placeholder={usual} value={values[name] ?? ''} />
                )
              })}
            </div>
          </fieldset>
        )}
      </div>
    </section>
  )
}
