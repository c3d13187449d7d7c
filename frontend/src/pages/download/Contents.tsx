// What the newest archive holds: every file with its checksum, and the hashes of what the plan was made from.
import type { PlanExport } from '../../api/exports'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import type { Manifest } from './manifest'

export function Contents({ one }: { one: PlanExport }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const manifest = one.manifest as unknown as Manifest
  return (
    <>
      <section className="sheet scroll-x mt" aria-labelledby="download-files">
        <div className="head">
          <h2 id="download-files">{t('download.checksums')}</h2>
        </div>
        <table className="dl-files">
          <tbody>
            <tr>
              <td>
                <b>{one.file_name}</b>
              </td>
              <td className="num nowrap">{one.size_bytes === null ? '–' : formats.bytes(one.size_bytes)}</td>
              <td>
                <code className="hash">{one.sha256}</code>
              </td>
            </tr>
            {Object.entries(manifest.files).map(([path, file]) => (
              <tr key={path}>
                <td>{path}</td>
                <td className="num nowrap">{formats.bytes(file.size_bytes)}</td>
                <td>
                  <code className="hash">{file.sha256}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section className="sheet mt" aria-labelledby="download-from">
        <div className="head">
          <h2 id="download-from">{t('download.madeFrom')}</h2>
        </div>
        <div className="body">
          <dl className="dl-facts">
            {Object.entries(manifest.hashes).map(([name, hash]) => (
              <div key={name} style={{ display: 'contents' }}>
                <dt>{translateCode('download.hash', name, {}, name, lang)}</dt>
                <dd>
                  <code className="hash">{hash}</code>
                </dd>
              </div>
            ))}
          </dl>
        </div>
      </section>
    </>
  )
}
