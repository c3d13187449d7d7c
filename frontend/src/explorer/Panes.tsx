/** The grid of panes with its two movable lines. */
import { type CSSProperties, type ReactNode, useRef } from 'react'

import { useT } from '../i18n'
import { Splitter, useKept } from './parts/Splitter'

interface Props {
  readonly busy: boolean
  readonly choose: ReactNode
  readonly front: ReactNode
  readonly plan: ReactNode
  readonly strip: ReactNode
  readonly work: ReactNode
}

const CHOOSE = { least: 220, most: 420, initial: 272 }
const FRONT = { least: 30, most: 75, initial: 59 }

export function Panes({ busy, choose, front, plan, strip, work }: Props) {
  const t = useT()
  const grid = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useKept('heteroopt.explorer.choose')
  const [share, setShare] = useKept('heteroopt.explorer.front')
  const style = {
    ...(width === null ? {} : { '--xp-choose': `${width}px` }),
    ...(share === null ? {} : { '--xp-front': `${share}fr`, '--xp-work': `${100 - share}fr` }),
  } as CSSProperties
  const box = () => grid.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1)
  return (
    <div className="xp-grid" ref={grid} style={style} aria-busy={busy}>
      {choose}
      <Splitter
        className="xp-split-choose"
        label={t('explorer.split.choose')}
        vertical
        value={width}
        onChange={setWidth}
        at={(x) => x - box().left}
        {...CHOOSE}
      />
      {front}
      {plan}
      {strip}
      <Splitter
        className="xp-split-work"
        label={t('explorer.split.work')}
        value={share}
        onChange={setShare}
        at={(_, y) => ((y - box().top) / box().height) * 100}
        {...FRONT}
      />
      {work}
    </div>
  )
}
