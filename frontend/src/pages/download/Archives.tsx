// Archives of the plan: under way, failed with the reason, or there to download, to lend and to check.
import { useState } from 'react'

import { errorParams, errorText } from '../../api/errors'
import {
  isUnderWay,
  useDeleteExport,
  useExportLink,
  type ExportLink,
  type PlanExport,
  type PlanPlace,
} from '../../api/exports'
import { announce } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button, buttonClass } from '../../components/Button'
import { Chip } from '../../components/marks'
import { RowMenu } from '../../components/RowMenu'
import { Empty } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { approvalText, endedText, type Manifest } from './manifest'

/** Browsers give no clipboard to pages that are not served securely: the address is shown either way. */
async function copied(text: string): Promise<boolean> {
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard
  if (!clipboard) return false
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

export interface ArchivesProps {
  place: PlanPlace
  exports: readonly PlanExport[]
  may: boolean
}

export function Archives({ place, exports, may }: ArchivesProps) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const remove = useDeleteExport(place)
  const lend = useExportLink()
  const [lent, setLent] = useState<(ExportLink & { id: string; copied: boolean }) | null>(null)
  const makeLink = (id: string) =>
    lend.mutate(id, {
      onSuccess: (link) => {
        void copied(link.url).then((done) => {
          setLent({ ...link, id, copied: done })
          if (done) announce(t('download.linkCopied', { time: formats.dateTime(link.expires_at) }))
        })
      },
    })
  return (
    <section className="sheet scroll-x mt" aria-labelledby="download-archives">
      <div className="head">
        <h2 id="download-archives">{t('download.archives')}</h2>
      </div>
      {(remove.error ?? lend.error) && <ErrorBanner error={remove.error ?? lend.error} />}
      {exports.length === 0 ? (
        <Empty inSheet title={t('download.none')} />
      ) : (
        <table className="roomy">
          <thead>
            <tr>
              <th>{t('download.format')}</th>
              <th>{t('download.made')}</th>
              <th>{t('download.by')}</th>
              <th className="num">{t('download.size')}</th>
              <th>
                <span className="sr">{t('common.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {exports.map((one) => {
              const name = translateCode('download.name', one.format, {}, one.format, lang)
              const manifest = one.manifest as Manifest | null
              const ended = endedText(one.approval_now, t, formats)
              return (
                <tr key={one.id}>
                  <td>
                    <div>{name}</div>
                    {manifest && (
                      <div className="small s3">
                        {t('download.covers', manifest.coverage)} · {approvalText(manifest, t, formats)}
                      </div>
                    )}
                    {ended !== null && (
                      <div className="small">
                        <Chip tone="warn">{t('download.ended')}</Chip> {ended}
                      </div>
                    )}
                    {manifest?.notes.map((note, at) => (
                      <div className="small s2" key={at}>
                        {translateCode('note', note.code, errorParams(note.params), note.code, lang)}
                      </div>
                    ))}
                    {one.error && <div className="small wrong">{errorText(one.error, lang).title}</div>}
                    {lent?.id === one.id && (
                      <div className="small" role="status">
                        {t(lent.copied ? 'download.linkCopied' : 'download.linkMade', {
                          time: formats.dateTime(lent.expires_at),
                        })}
                        <span className="dl-link">
                          <input className="in m" readOnly value={lent.url} aria-label={t('download.link')} />
                        </span>
                      </div>
                    )}
                  </td>
                  <td className="s3 nowrap">{formats.dateTime(one.created_at)}</td>
                  <td>{one.created_by?.name ?? '–'}</td>
                  <td className="num nowrap">{one.size_bytes === null ? '–' : formats.bytes(one.size_bytes)}</td>
                  <td className="num nowrap">
                    {isUnderWay(one) ? (
                      <span className="s3" role="status">
                        {t('download.writing')}
                      </span>
                    ) : (
                      <span className="row">
                        {one.sha256 ? (
                          <>
                            <a className={buttonClass('plain', 's')} href={`/api/exports/${one.id}/download/`} download>
                              {t('download.file')}
                            </a>
                            {may && (
                              <Button size="s" busy={lend.isPending && lend.variables === one.id} onClick={() => makeLink(one.id)}>
                                {t('download.link')}
                              </Button>
                            )}
                          </>
                        ) : (
                          one.state === 'stopped' && <span className="s3">{t('download.stopped')}</span>
                        )}
                        <RowMenu
                          label={t('download.actions', { format: name })}
                          remove={may ? { label: t('download.delete'), onSelect: () => remove.mutate(one.id) } : null}
                        />
                      </span>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
