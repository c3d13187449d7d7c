// What the model takes and gives: names, element types and shapes.
import type { TensorInfo } from '../../api/types'
import { useT } from '../../i18n'

function shapeText(shape: TensorInfo['shape']): string {
  if (shape === null) return '?'
  return shape.length === 0 ? '1' : shape.map((size) => size ?? '?').join(' × ')
}

export function InputsOutputs({ inputs, outputs }: { inputs: TensorInfo[]; outputs: TensorInfo[] }) {
  const t = useT()
  const rows = [
    ...inputs.map((tensor) => ({ tensor, way: t('model.input') })),
    ...outputs.map((tensor) => ({ tensor, way: t('model.output') })),
  ]
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.io')}</h2>
      </div>
      <div className="io-scroll">
        <table>
          <thead>
            <tr>
              <th>
                <span className="sr">{t('model.io')}</span>
              </th>
              <th>{t('model.io.name')}</th>
              <th>{t('model.io.shape')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ tensor, way }, index) => (
              <tr key={index}>
                <td className="s3 nowrap">{way}</td>
                <td className="break">{tensor.name}</td>
                <td className="nowrap">
                  {shapeText(tensor.shape)} <span className="s3">{tensor.dtype}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
