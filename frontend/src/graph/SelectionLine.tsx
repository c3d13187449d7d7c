// What is selected in the graph, in one line, with the fold or the opening of its scope.
import { Button } from '../components/Button'
import { useFormats } from '../format/numbers'
import { useT } from '../i18n'
import { folds } from './scopes'
import type { Laid } from './scene'

export interface SelectionLineProps {
  /** Whether operators are coloured by device. */
  isPlaced: boolean
  laid: Laid
  node: number
  onOpen: (scope: number) => void
  onFold: (scope: number) => void
}

export function SelectionLine({ laid, isPlaced, node, onOpen, onFold }: SelectionLineProps) {
  const t = useT()
  const f = useFormats()
  const { graph, tree, view } = laid
  if (node < 0) return <p className="graph-line s3">{t(isPlaced ? 'graph.hint.placed' : 'graph.hint')}</p>
  const op = view.first[node] ?? 0
  const folded = tree.scopes[view.folded[node] ?? -1]
  let around = folded ? undefined : tree.scopes[tree.of[op] ?? 0]
  while (around && around.id > 0 && !folds(around)) around = tree.scopes[around.parent]
  const parts = view.parts[node] ?? 1
  let [reads, writes] = [0, 0]
  view.source.forEach((from, edge) => {
    if (from === node) writes += view.size[edge] ?? 0
    if (view.target[edge] === node) reads += view.size[edge] ?? 0
  })
  return (
    <div className="graph-line" data-testid="graph-selection">
      <b>{folded ? t('model.nOperators', { n: view.members[node] ?? 0 }) : graph.types[op]}</b>
      <span className="cut" title={folded?.path ?? graph.names[op]}>
        {folded?.path ?? graph.names[op]}
        {parts > 1 && ` · ${t('graph.part', { part: view.part[node] ?? 1, parts })}`}
      </span>
      <span className="s2 nowrap">
        {f.flops(view.flops[node] ?? 0)} · {f.bytes(view.bytes[node] ?? 0)}
      </span>
      <span className="s3 nowrap graph-edges">{t('graph.edges', { reads: f.bytes(reads), writes: f.bytes(writes) })}</span>
      {folded && (
        <Button size="s" onClick={() => onOpen(folded.id)}>
          {t('graph.open')}
        </Button>
      )}
      {around && around.id > 0 && (
        <Button size="s" title={around.path} onClick={() => onFold(around.id)}>
          {t('graph.foldScope', { scope: around.path.slice(around.path.lastIndexOf('/') + 1) })}
        </Button>
      )}
    </div>
  )
}
