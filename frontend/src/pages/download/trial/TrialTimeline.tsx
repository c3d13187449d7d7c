// One item through the segments: as predicted above, as measured below, a pair of lanes a device, on one axis.
import type { TrialSegment } from '../../../api/trials'
import { DeviceTag, deviceStyle } from '../../../components/marks'
import { useFormats } from '../../../format/numbers'
import { useT } from '../../../i18n'
import { lanesOf, type Span } from './lanes'

export interface DeviceMark {
  name: string
  tag: string
  slot: number
}

const NARROWEST_NAMED = 0.06

export function TrialTimeline({ segments, devices }: { segments: readonly TrialSegment[]; devices: readonly DeviceMark[] }) {
  const t = useT()
  const formats = useFormats()
  const { lanes, end } = lanesOf(segments, devices.map((device) => device.name))
  const ms = (value: number) => `${formats.figure(value)} ms`
  const bars = (spans: readonly Span[], what: 'predicted' | 'measured') => (
    <span className={`tr-lane ${what}`}>
      {spans.map(({ index, from, to }) => (
        <i
          key={index}
          title={t('trial.bar', { n: index, from: ms(from), to: ms(to) })}
          style={{
            left: `${(from / end) * 100}%`,
            width: `${Math.max((to - from) / end, 0.002) * 100}%`,
          }}
        >
          {(to - from) / end > NARROWEST_NAMED && index}
        </i>
      ))}
    </span>
  )
  return (
    <figure className="tr-time">
      <div role="img" aria-label={t('trial.timeline.label', { n: segments.length, time: ms(end) })}>
        {lanes.map((lane) => {
          const mark = devices.find((device) => device.name === lane.device)
          const device = mark ?? { name: lane.device, tag: lane.device, slot: 1 }
          return (
            <div className="tr-device" key={lane.device} style={deviceStyle(device.slot)}>
              <DeviceTag device={device} />
              <span className="tr-what small s3">{t('trial.predicted')}</span>
              {bars(lane.predicted, 'predicted')}
              <span className="tr-what small s3">{t('trial.measured')}</span>
              {bars(lane.measured, 'measured')}
            </div>
          )
        })}
      </div>
      <figcaption className="tr-axis small s3">
        <span>0</span>
        <span>{ms(end)}</span>
      </figcaption>
    </figure>
  )
}
