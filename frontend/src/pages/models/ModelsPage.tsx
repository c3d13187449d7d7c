// All models of the team.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useModels, useSession } from '../../api/queries'
import type { Model } from '../../api/types'
import { canPlan } from '../../app/permissions'
import { useTitle } from '../../app/title'
import { useUpload } from '../../app/useUpload'
import { FileButton } from '../../components/FileButton'
import { ModelChip } from '../../components/ModelChip'
import { RowMenu } from '../../components/RowMenu'
import { BoneRows, Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { MODEL_FILES } from '../home/HomePage'
import { useAmounts } from './amounts'
import { DeleteModelDialog } from './DeleteModelDialog'

function Row({ model, onDelete }: { model: Model; onDelete: (() => void) | null }) {
  const t = useT()
  const formats = useFormats()
  const summary = model.summary
  const amounts = useAmounts(model)
  return (
    <tr>
      <td>
        <Link to="/models/$id" params={{ id: model.id }}>
          {model.name}
        </Link>
        {model.is_sample && <span className="s3"> {t('common.sample')}</span>}
      </td>
      <td className="s2">{t(`model.kind.${model.kind}`)}</td>
      <td className="num">{summary ? formats.number(summary.n_operators) : '–'}</td>
      <td className="num">{amounts.compute}</td>
      <td className="num">{amounts.parameters}</td>
      <td className="num s2">{formats.bytes(model.size_bytes)}</td>
      <td>
        <ModelChip state={model.state} />
      </td>
      <td className="s3 nowrap">{formats.dateTime(model.created_at)}</td>
      <td className="num">
        <RowMenu
          label={t('models.actions', { name: model.name })}
          remove={onDelete && { label: t('model.delete'), onSelect: onDelete }}
        />
      </td>
    </tr>
  )
}

export function ModelsPage() {
  const t = useT()
  const upload = useUpload()
  const models = useModels()
  const { data: session } = useSession()
  const [doomed, setDoomed] = useState<Model | null>(null)
  useTitle(t('models.title'))
  const may = canPlan(session)
  const uploadButton = (
    <FileButton kind="act" icon="up" accept={MODEL_FILES} multiple disabledReason={may ? null : t('forbidden.viewer')} onFiles={upload}>
      {t('models.upload')}
    </FileButton>
  )
  const rows = models.data?.results
  if (rows?.length === 0) {
    return (
      <main className="page" id="main" tabIndex={-1}>
        <Empty
          title={t('models.empty.title')}
          actions={uploadButton}
          foot={
            <>
              {t('models.empty.shell')} <span className="mono">heteroopt plan MODEL --pool POOL.toml</span>
            </>
          }
        >
          <p>{t('models.empty.text')}</p>
          <p>{t('models.empty.tables')}</p>
        </Empty>
      </main>
    )
  }
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="pagehead">
        <h1>{t('models.title')}</h1>
        <div className="r">{uploadButton}</div>
      </div>
      {models.error && !rows ? (
        <LoadFailed error={models.error} onRetry={() => void models.refetch()} />
      ) : (
        <div className="sheet scroll-x">
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('models.name')}</th>
                <th>{t('models.kind')}</th>
                <th className="num">{t('model.operators')}</th>
                <th className="num">{t('models.compute')}</th>
                <th className="num">{t('models.parameters')}</th>
                <th className="num">{t('models.file')}</th>
                <th>{t('search.state')}</th>
                <th>{t('models.uploaded')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows ? (
                rows.map((model) => <Row key={model.id} model={model} onDelete={may ? () => setDoomed(model) : null} />)
              ) : (
                <BoneRows rows={5} columns={9} />
              )}
            </tbody>
          </table>
        </div>
      )}
      <DeleteModelDialog model={doomed} onClose={() => setDoomed(null)} />
    </main>
  )
}
