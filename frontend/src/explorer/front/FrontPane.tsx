/** The front: 3-D with projections, 3-D alone, parallel coordinates or table; banners and empty states instead. */
import { useCallback, useRef } from 'react'

import { Button } from '../../components/Button'
import { Help } from '../../components/Help'
import { Segmented } from '../../components/Segmented'
import { useT } from '../../i18n'
import { type View, VIEWS } from '../logic/address'
import { useExplorer } from '../state/context'
import { useMedia } from '../../drawing/use-size'
import { measureOf } from '../logic/measures'
import { canFit } from './axes'
import { AxesPicker } from './AxesPicker'
import { FIRST_STAND, type Stand } from './camera'
import { EarlierNote, EarlierSwitch } from './EarlierNote'
import { FrontTable } from './FrontTable'
import { NonePasses } from './NonePasses'
import { Parallel } from './Parallel'
import { Projections } from './Projections'
import { Scene } from './Scene'
import { SinglePlan } from './SinglePlan'

/** Which views there is room for, and the one that is shown. */
export function useView(): { view: View; views: readonly View[]; below: boolean } {
  const { state } = useExplorer()
  const narrow = useMedia('(max-width: 899px)')
  const roomy = useMedia('(min-width: 1280px) and (min-height: 800px)')
  const views = VIEWS.filter((view) => (view !== 'both' || !narrow) && (view !== 'parallel' || !roomy))
  const view = views.includes(state.view) ? state.view : (views[0] ?? 'scene')
  return { view, views, below: roomy && (view === 'both' || view === 'scene') }
}

export function FrontPane() {
  const t = useT()
  const { model, state, live, update } = useExplorer()
  const { view, views, below } = useView()
  const reset = useRef<() => void>(() => undefined)
  const stand = useRef<Stand>(FIRST_STAND)
  const onReset = useCallback((run: () => void) => {
    reset.current = run
  }, [])
  const count = model.plans.length
  const up = model.axes.keys.some((key) => measureOf(model.table, key)?.direction === 'max')
  const drawn = count > 1 || (count === 1 && live)
  return (
    <section className={below ? 'xp-front xp-front-below' : 'xp-front'} aria-label={t('explorer.front')} id="front">
      <div className="head">
        <h2>{t('explorer.front')}</h2>
        <Help terms={['front']} />
        <span className="small s3 xp-front-hint">{t(up ? 'explorer.front.hint.mixed' : 'explorer.front.hint')}</span>
        <span className="r row">
          <EarlierSwitch />
          {drawn && view !== 'table' && <AxesPicker />}
          {drawn && view !== 'table' && view !== 'parallel' && (
            <>
              <span className="hide-s">
                <Segmented
                  label={t('explorer.axes')}
                  value={state.fit && canFit(model) ? 'passing' : 'all'}
                  options={[
                    { value: 'all', label: t('explorer.axes.all') },
                    {
                      value: 'passing',
                      label: t('explorer.axes.passing'),
                      ...(canFit(model) ? {} : { title: t('explorer.axes.passing.off') }),
                    },
                  ]}
                  onChange={(value) => update({ fit: value === 'passing' })}
                />
              </span>
              <Button
                kind="quiet"
                size="s"
                icon="reset"
                aria-label={t('explorer.scene.reset')}
                title={t('explorer.scene.reset')}
                onClick={() => reset.current()}
              />
            </>
          )}
          {count > 0 && (
            <Segmented
              label={t('explorer.front.views')}
              value={view}
              options={views.map((value) => ({ value, label: t(`explorer.view.${value}`) }))}
              onChange={(value) => update({ view: value })}
            />
          )}
        </span>
      </div>
      <NonePasses />
      <EarlierNote />
      {!drawn && view !== 'table' ? (
        <SinglePlan />
      ) : (
        <div className={view === 'both' ? 'xp-views xp-views-both' : 'xp-views'}>
          {(view === 'both' || view === 'scene') && <Scene onReset={onReset} stand={stand} />}
          {view === 'both' && <Projections />}
          {view === 'parallel' && <Parallel tall />}
          {view === 'table' && <FrontTable />}
        </div>
      )}
      {below && drawn && <Parallel />}
    </section>
  )
}
