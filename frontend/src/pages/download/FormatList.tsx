// The formats of a plan as one choice; those that cannot hold it stay, and say so.
import type { ExportFormat } from '../../api/exports'
import { translateCode, useLang, useT } from '../../i18n'

export interface FormatListProps {
  formats: readonly ExportFormat[]
  chosen: string
  onChoose: (key: string) => void
}

export function FormatList({ formats, chosen, onChoose }: FormatListProps) {
  const t = useT()
  const lang = useLang()
  const text = (what: 'name' | 'about', key: string, otherwise: string) =>
    translateCode(`download.${what}`, key, {}, otherwise, lang)
  return (
    <fieldset className="sheet dl-formats">
      <legend className="sr">{t('download.formats')}</legend>
      {formats.map((format) => {
        const refused = format.refusals.length > 0
        return (
          <label key={format.key} className={refused ? 'off' : undefined}>
            <input
              type="radio"
              name="format"
              value={format.key}
              checked={format.key === chosen}
              onChange={() => onChoose(format.key)}
            />
            <span className="t">
              <b>{text('name', format.key, format.key)}</b>
              <span>{t(refused ? 'download.refused' : format.needs_model ? 'download.needsModel' : 'download.ready')}</span>
            </span>
            <p className="small s2">{text('about', format.key, format.engine)}</p>
          </label>
        )
      })}
    </fieldset>
  )
}
