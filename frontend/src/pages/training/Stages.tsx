// Pipelines as rows of stages, coloured by GPU type.
import type { TrainingPipeline } from '../../api/training'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { numbers } from './numbers'

export interface StagesProps {
  pipelines: readonly TrainingPipeline[]
  /** Colour slot of each GPU type. */
  slots: ReadonlyMap<string, number>
}

const MILLISECONDS = 1000

export function Stages({ pipelines, slots }: StagesProps) {
  const t = useT()
  const formats = useFormats()
  return pipelines.map((pipeline, number) => (
    <div className="tr-pipe" key={number}>
      <h3>
        {t('training.pipeline', { n: number + 1 })}
        <span className="s2"> · {t('training.microBatches', { n: pipeline.micro_batches })}</span>
      </h3>
      <ol className="tr-stages">
        {pipeline.stages.map((stage, at) => {
          const slot = slots.get(stage.gpu) ?? 1
          const layers = t('training.layersN', { n: stage.layers })
          const text = t('training.stage', {
            gpu: stage.gpu,
            gpus: numbers(stage.gpus),
            degree: stage.gpus.length,
            layers,
            ms: formats.figure(stage.micro_batch_s * MILLISECONDS, 3),
            busy: formats.share(stage.busy_share),
          })
          return (
            <li
              key={at}
              title={text}
              aria-label={text}
              style={{
                background: `var(--dev-${slot})`,
                color: `var(--dev-${slot}-ink)`,
              }}
            >
              <b>
                {stage.gpu} × {stage.gpus.length}
              </b>
              <span>{layers}</span>
              <span>{t('training.busy', { share: formats.share(stage.busy_share) })}</span>
            </li>
          )
        })}
      </ol>
    </div>
  ))
}
