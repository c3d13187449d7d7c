// What a training plan is: stages and pipelines, its step, its links, the homogeneous plan, what has to move, what if.
import { useState } from 'react'

import type { TrainingLink, TrainingPlan, TrainingResult } from '../../api/training'
import { Bars } from '../../components/Bars'
import { SelectField } from '../../components/Field'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { timesUpTo } from './numbers'
import { Stages } from './Stages'
import { Timeline } from './Timeline'
import { WhatIf } from './WhatIf'

function Links({ links }: { links: readonly TrainingLink[] }) {
  const t = useT()
  const formats = useFormats()
  if (links.length === 0) return <p className="s2">{t('training.links.none')}</p>
  const level = (name: string) =>
    name === 'fast_link' || name === 'network_card' ? t(`training.link.${name}`) : name
  const seconds = timesUpTo(Math.max(...links.map((link) => link.seconds)), t, formats)
  const items = links.map((link) => ({
    name: t(link.outward ? 'training.link.out' : 'training.link.in', { level: level(link.level), name: link.name }),
    value: link.seconds,
    text: seconds(link.seconds),
  }))
  return <Bars items={items} />
}

function Comparison({ result }: { result: TrainingResult }) {
  const t = useT()
  const formats = useFormats()
  const alike = result.best_homogeneous
  const seconds = (value: number) => t('training.seconds', { n: formats.figure(value, 4) })
  const items = [{ name: t('training.thisPlan'), value: result.step_s, text: seconds(result.step_s) }]
  if (alike) items.push({ name: t('training.alike'), value: alike.step_s, text: seconds(alike.step_s) })
  return (
    <section className="sheet mt" aria-labelledby="training-compare">
      <div className="head">
        <h2 id="training-compare">{t('training.compare')}</h2>
      </div>
      <div className="body stack">
        <Bars items={items} />
        {alike && (
          <p className="s2">
            {t('training.alike.shape', { ...alike, gpus: alike.pipelines * alike.stages * alike.degree })}
          </p>
        )}
        <p className="s2">
          {result.homogeneous
            ? t('training.gain.same')
            : alike
              ? t('training.gain', { n: formats.number(alike.step_s / result.step_s, 2) })
              : t('training.gain.none')}
        </p>
      </div>
    </section>
  )
}

function Moved({ moved }: { moved: NonNullable<TrainingResult['moved']> }) {
  const t = useT()
  const formats = useFormats()
  const figure = (value: number) => formats.figure(value, 3)
  return (
    <section className="sheet mt" aria-labelledby="training-moved">
      <div className="head">
        <h2 id="training-moved">{t('training.moved', { lost: moved.lost.join(', ') })}</h2>
      </div>
      <div className="body stack">
        <p>{t('training.before', { n: formats.figure(moved.before_step_s, 4) })}</p>
        <p>
          {t('training.moved.text', {
            bytes: formats.bytes(moved.moved_bytes),
            send: figure(moved.send_s),
            bound: figure(moved.bound_s),
            apart: figure(moved.point_to_point_s),
          })}
        </p>
        <h3>{t('training.links.move')}</h3>
        <Links links={moved.links} />
      </div>
    </section>
  )
}

export function Result({ plan, result }: { plan: TrainingPlan; result: TrainingResult }) {
  const t = useT()
  const formats = useFormats()
  const [shown, setShown] = useState(0)
  const slots = new Map(Object.keys(plan.request.gpu).map((name, at) => [name, at + 1]))
  const pipeline = result.pipelines[shown] ?? result.pipelines[0]
  return (
    <>
      <section className="sheet" aria-labelledby="training-stages">
        <div className="head">
          <h2 id="training-stages">{t('training.stages')}</h2>
          <span className="r">
            {t('training.step')}: <b className="num">{t('training.seconds', { n: formats.figure(result.step_s, 4) })}</b>
          </span>
        </div>
        <div className="body">
          <Stages pipelines={result.pipelines} slots={slots} />
        </div>
      </section>
      {result.moved && <Moved moved={result.moved} />}
      {pipeline && (
        <section className="sheet mt" aria-labelledby="training-timeline">
          <div className="head">
            <h2 id="training-timeline">{t('training.timeline', { n: shown + 1 })}</h2>
          </div>
          <div className="body stack">
            {result.pipelines.length > 1 && (
              <div className="tr-form">
                <SelectField label={t('training.choose')} value={String(shown)} onChange={(at) => setShown(Number(at))}>
                  {result.pipelines.map((_, at) => (
                    <option key={at} value={at}>
                      {t('training.pipeline', { n: at + 1 })}
                    </option>
                  ))}
                </SelectField>
              </div>
            )}
            <Timeline pipeline={pipeline} slots={slots} />
          </div>
        </section>
      )}
      <Comparison result={result} />
      <section className="sheet mt" aria-labelledby="training-links">
        <div className="head">
          <h2 id="training-links">{t('training.links')}</h2>
        </div>
        <div className="body">
          <Links links={result.links} />
        </div>
      </section>
      <WhatIf plan={plan} />
    </>
  )
}
