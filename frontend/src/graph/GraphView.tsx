// The graph of a model: laid out, by a worker where it is large, and drawn; a layout can be stopped while it runs.
import { type ReactNode, useMemo, useState } from 'react'

import { Button } from '../components/Button'
import { useT } from '../i18n'
import type { GraphData } from './data'
import { LaidGraph } from './LaidGraph'
import type { GraphPlacement } from './placement'
import { foldsAtFirst, nodesSeen, scopeTree } from './scopes'
import { useLaid } from './use-laid'

export interface GraphViewProps {
  graph: GraphData
  /** What stands at the left of the head. */
  title: ReactNode
  label: string
  /** The selected operator, shared with whatever else shows operators. */
  operator: number | null
  onOperator: (operator: number | null) => void
  /** The operator to show at first, where none is selected. */
  looksAt?: number | null
  /** Devices to colour and letter the operators by; edges between devices are drawn strong. */
  placement?: GraphPlacement | null
  /** Enter on an operator; folded scopes open. Without it Enter folds the scope around the operator. */
  onEnter?: () => void
  /** Whether the page around it scrolls. */
  scrolls?: boolean
}

export function GraphView(props: GraphViewProps) {
  const t = useT()
  const { graph } = props
  const tree = useMemo(() => scopeTree(graph), [graph])
  const [folded, setFolded] = useState<ReadonlySet<number>>(() => foldsAtFirst(tree))
  const { laid, foldedThen, isBusy, failed, stop, again } = useLaid(graph, tree, folded)
  const n = nodesSeen(tree, folded)
  const leave = () => {
    stop()
    if (foldedThen) setFolded(foldedThen)
  }
  const over = isBusy ? (
    <p className="graph-over" role="status">
      {t('graph.layingOut', { n })}
      <Button size="s" onClick={leave}>
        {t('graph.stop')}
      </Button>
    </p>
  ) : failed === null ? null : (
    <p className="graph-over" role="status">
      {failed === '' ? t('graph.stopped') : t('graph.failed', { reason: failed })}
      <Button size="s" onClick={again}>
        {t('graph.again')}
      </Button>
    </p>
  )
  if (laid) return <LaidGraph {...props} tree={tree} laid={laid} folded={folded} onFolded={setFolded} over={over} />
  return (
    <div className="graph">
      <div className="head graph-head">{props.title}</div>
      <div className="graph-box">{over}</div>
    </div>
  )
}
