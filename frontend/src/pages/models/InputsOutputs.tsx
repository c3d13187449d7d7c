// What the model takes and gives: names, shapes and element types.
import type { TensorInfo } from '../../api/types'
import { useT } from '../../i18n'
import { shapeText } from './shape'

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
      <ul className="io">
        {rows.map(({ tensor, way }, index) => (
          <li key={index}>
            <span className="s3">{way}</span>
            <span className="cut" title={tensor.name}>
              {tensor.name}
            </span>
            <span className="of s2">
              {shapeText(tensor.shape)} <span className="s3">{tensor.dtype}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
