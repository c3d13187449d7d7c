// The slots of one pipeline's step on a canvas: a lane a stage, forward light, backward full.
import { useEffect, useRef } from 'react'

import type { TrainingPipeline } from '../../api/training'
import { mix } from '../../drawing/colours'
import { useSize } from '../../drawing/use-size'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'

const LANE_PX = 22
const GAP_PX = 3
const AXIS_PX = 20
const TICKS = 4
const FORWARD_TINT = 0.55

export interface TimelineProps {
  pipeline: TrainingPipeline
  slots: ReadonlyMap<string, number>
}

export function Timeline({ pipeline, slots }: TimelineProps) {
  const t = useT()
  const formats = useFormats()
  const tokens = useTokens()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [frame, size] = useSize()
  const height = pipeline.stages.length * LANE_PX + AXIS_PX
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!canvas.current || !context || !pipeline.slots || size.width === 0) return
    canvas.current.width = size.width * size.ratio
    canvas.current.height = height * size.ratio
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0)
    context.clearRect(0, 0, size.width, height)
    const scale = size.width / pipeline.finish_s
    const background = tokens.value('bg')
    context.fillStyle = tokens.value('bg-sunk')
    pipeline.stages.forEach((_, at) => context.fillRect(0, at * LANE_PX, size.width, LANE_PX - GAP_PX))
    const fills = pipeline.stages.map((stage) => tokens.device(slots.get(stage.gpu) ?? 1).fill)
    for (const [stage = 0, , forward = 0, start = 0, end = 0] of pipeline.slots) {
      const fill = fills[stage] ?? background
      context.fillStyle = forward ? mix(fill, background, FORWARD_TINT) : fill
      const left = start * scale
      context.fillRect(left, stage * LANE_PX, Math.max(0.5, (end - start) * scale - 0.5), LANE_PX - GAP_PX)
    }
    context.fillStyle = tokens.value('ink-3')
    context.font = `11px ${tokens.fontUi}`
    for (let tick = 0; tick <= TICKS; tick += 1) {
      const share = tick / TICKS
      context.textAlign = tick === 0 ? 'left' : tick === TICKS ? 'right' : 'center'
      context.fillText(t('training.seconds', { n: formats.figure(pipeline.finish_s * share, 3) }), share * size.width, height - 5)
    }
  }, [pipeline, slots, size, height, tokens, t, formats])
  if (!pipeline.slots) return <p className="s2">{t('training.timeline.none')}</p>
  const label = t('training.timeline.label', {
    stages: pipeline.stages.length,
    micro: pipeline.micro_batches,
    seconds: formats.figure(pipeline.finish_s, 4),
  })
  return (
    <div ref={frame}>
      <ul className="tr-key" aria-hidden="true">
        {[...new Set(pipeline.stages.map((stage) => stage.gpu))].flatMap((gpu) => {
          const { fill } = tokens.device(slots.get(gpu) ?? 1)
          return [
            <li key={`${gpu} forward`}>
              <i style={{ background: mix(fill, tokens.value('bg'), FORWARD_TINT) }} />
              {t('training.forward', { gpu })}
            </li>,
            <li key={`${gpu} backward`}>
              <i style={{ background: fill }} />
              {t('training.backward', { gpu })}
            </li>,
          ]
        })}
      </ul>
      <canvas className="tr-canvas" ref={canvas} role="img" aria-label={label} style={{ height }} />
    </div>
  )
}
