// What an opened operator shows: the tensors at its inputs and outputs with the operators at their other ends.
import type { LinkedTensor, OperatorRow } from '../../api/types'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { shapeText } from './shape'

function OtherEnd({ tensor, written }: { tensor: LinkedTensor; written: boolean }) {
  const t = useT()
  if (!written) {
    const from = tensor.producer
    return <>{from ? t('model.open.from', { name: from.name }) : t('model.open.graphInput')}</>
  }
  const names = tensor.consumers.map((reader) => reader.name)
  const more = tensor.n_consumers - names.length
  if (more > 0) names.push(t('model.open.moreReaders', { n: more }))
  const to = names.length > 0 && t('model.open.to', { names: names.join(t('list.comma')) })
  const output = tensor.is_output && t('model.open.graphOutput')
  return <>{[to, output].filter(Boolean).join(t('list.comma')) || t('model.open.toNone')}</>
}

function Tensors({ label, tensors, count, written }: { label: string; tensors: LinkedTensor[]; count: number; written: boolean }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {count === 0 && <span className="s3">{t('model.open.noWeights')}</span>}
        <ul>
          {tensors.map((tensor) => (
            <li key={tensor.name}>
              <span className="ends">
                <OtherEnd tensor={tensor} written={written} />
              </span>
              <span className="s2">
                {tensor.dtype} {shapeText(tensor.shape)}
              </span>
              <span className="num">{formats.bytes(tensor.size_bytes)}</span>
              <span className={tensor.size_source === 'estimated' ? 'estimated' : 's3'}>
                {translateCode('model.sizeSource', tensor.size_source, {}, tensor.size_source, lang)}
              </span>
              <span className="s3 cut" title={tensor.name}>
                {tensor.name}
              </span>
            </li>
          ))}
        </ul>
        {count > tensors.length && <span className="s3">{t('model.open.moreTensors', { n: count - tensors.length })}</span>}
      </dd>
    </div>
  )
}

export function OperatorTensors({ row }: { row: OperatorRow }) {
  const t = useT()
  const formats = useFormats()
  return (
    <dl className="op-tensors">
      <Tensors label={t('model.open.reads')} tensors={row.inputs} count={row.n_inputs} written={false} />
      <Tensors label={t('model.open.writes')} tensors={row.outputs} count={row.n_outputs} written />
      <div>
        <dt>{t('model.open.parameters')}</dt>
        <dd>
          {row.n_initializers === 0 ? (
            <span className="s3">{t('model.open.noWeights')}</span>
          ) : (
            t('model.open.weights', {
              n: row.n_initializers,
              parameters: formats.number(row.parameters),
              bytes: formats.bytes(row.weight_bytes),
            })
          )}
        </dd>
      </div>
      {row.workspace_bytes > 0 && (
        <div>
          <dt>{t('model.open.workspace')}</dt>
          <dd>{t('model.open.workspace.text', { size: formats.bytes(row.workspace_bytes) })}</dd>
        </div>
      )}
    </dl>
  )
}
