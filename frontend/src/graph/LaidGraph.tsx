// A graph that is laid out, with its tools: search that flies to the match, folding by scope, zoom, and a line about what is selected.
import { type KeyboardEvent, type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'

import { announce } from '../components/announce'
import { Button } from '../components/Button'
import { useFormats } from '../format/numbers'
import { useT } from '../i18n'
import { GraphCanvas, type GraphCanvasHandle } from './GraphCanvas'
import type { GraphViewProps } from './GraphView'
import { dressScene, type Laid } from './scene'
import { foldedAt, folds, nodesSeen, reveal, type ScopeTree, unfold } from './scopes'
import { findOperators } from './search'
import { SelectionLine } from './SelectionLine'

export interface LaidGraphProps extends GraphViewProps {
  tree: ScopeTree
  laid: Laid
  /** What is folded, or will be once it is laid out. */
  folded: ReadonlySet<number>
  onFolded: (change: (now: ReadonlySet<number>) => ReadonlySet<number>) => void
  /** What lies over the drawing while the next one is made. */
  over: ReactNode
}

export function LaidGraph({ graph, title, label, operator, onOperator, looksAt = null, placement = null, onEnter, scrolls = true, tree, laid, folded, onFolded, over }: LaidGraphProps) {
  const t = useT()
  const f = useFormats()
  const canvas = useRef<GraphCanvasHandle>(null)
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed)
  const found = useMemo(() => findOperators(graph, q), [graph, q])
  const [at, setAt] = useState(-1)
  const scene = useMemo(() => dressScene(laid, placement, q.trim() === '' ? null : found), [laid, placement, q, found])
  /** A folded scope that is selected, by its first operator: it outlives a new layout. */
  const [scopeAt, setScopeAt] = useState(-1)
  const { view } = laid
  const nodeOf = (op: number | null) => (op === null || op < 0 ? -1 : (view.nodeOf[op] ?? -1))
  const selected = operator !== null ? nodeOf(operator) : nodeOf(scopeAt)

  const describe = (node: number): string => {
    const scope = tree.scopes[view.folded[node] ?? -1]
    const what = scope
      ? `${scope.path}, ${t('model.nOperators', { n: view.members[node] ?? 0 })}`
      : `${graph.types[view.first[node] ?? 0] ?? ''} ${graph.names[view.first[node] ?? 0] ?? ''}`
    return `${what}, ${f.flops(view.flops[node] ?? 0)}, ${f.bytes(view.bytes[node] ?? 0)}`
  }
  /** The operator that was selected here, or came into view because it was selected elsewhere. */
  const mine = useRef<number | null>(null)
  const choose = (op: number | null) => {
    mine.current = op
    onOperator(op)
  }
  const select = (node: number) => {
    const op = node < 0 ? null : (view.first[node] ?? null)
    const isScope = (view.folded[node] ?? -1) >= 0
    setScopeAt(isScope ? (op ?? -1) : -1)
    choose(isScope ? null : op)
    if (node >= 0) announce(describe(node))
  }
  const change = (next: ReadonlySet<number>) => {
    onFolded(() => next)
    announce(t('graph.shown', { n: nodesSeen(tree, next) }))
  }
  const open = (scope: number) => {
    setScopeAt(view.first[view.folded.indexOf(scope)] ?? -1)
    change(unfold(tree, folded, scope))
  }
  const fold = (scope: number) => {
    setScopeAt(tree.of.findIndex((of) => within(of, scope)))
    choose(null)
    change(new Set([...folded, scope]))
  }
  const within = (inner: number, outer: number): boolean => {
    for (let id = inner; id >= 0; id = tree.scopes[id]?.parent ?? -1) if (id === outer) return true
    return false
  }
  const toggle = (node: number) => {
    const scope = view.folded[node] ?? -1
    if (scope >= 0) { open(scope); return; }
    let around = tree.scopes[tree.of[view.first[node] ?? 0] ?? 0]
    while (around && around.id > 0 && !folds(around)) around = tree.scopes[around.parent]
    if (around && around.id > 0) fold(around.id)
  }
  /** The operator to fly to once the layout that shows it is there. */
  const [goal, setGoal] = useState<{ operator: number } | null>(null)
  useEffect(() => {
    const node = goal ? view.nodeOf[goal.operator] : undefined
    if (node !== undefined) canvas.current?.show(node)
  }, [goal, view])
  const go = useCallback(
    (op: number) => {
      onFolded((now) => {
        const next = reveal(tree, now, op)
        return next.size === now.size && [...next].every((id) => now.has(id)) ? now : next
      })
      setScopeAt(-1)
      setGoal({ operator: op })
    },
    [tree, onFolded],
  )
  // An operator that was selected elsewhere comes into view.
  useEffect(() => {
    if (operator !== null && operator !== mine.current) go(operator)
    mine.current = operator
  }, [operator, go])
  const step = (by: number) => {
    if (found.length === 0) return
    const next = (at + by + found.length) % found.length
    const op = found[next] ?? 0
    setAt(next)
    choose(op)
    go(op)
    announce(`${t('graph.match', { at: next + 1, n: found.length })}: ${graph.types[op] ?? ''} ${graph.names[op] ?? ''}`)
  }
  const searchKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') setTyped('')
    else return
    event.preventDefault()
  }
  const depths = Array.from({ length: tree.deepest }, (_, i) => i + 1).filter((depth) => foldedAt(tree, depth).size > 0)
  const sameAs = (other: ReadonlySet<number>) => other.size === folded.size && [...other].every((id) => folded.has(id))
  const level = folded.size === 0 ? '0' : (depths.find((depth) => sameAs(foldedAt(tree, depth)))?.toString() ?? 'own')
  const isSearching = q.trim() !== ''
  return (
    <div className="graph">
      <div className="head graph-head">
        {title}
        {depths.length > 0 && (
          <select
            className="in graph-level"
            aria-label={t('graph.fold')}
            value={level}
            onChange={(event) => change(event.target.value === '0' ? new Set() : foldedAt(tree, Number(event.target.value)))}
          >
            {depths.map((depth) => (
              <option key={depth} value={depth}>
                {t('graph.fold.at', { depth, n: nodesSeen(tree, foldedAt(tree, depth)) })}
              </option>
            ))}
            <option value="0">{t('graph.fold.none', { n: graph.count })}</option>
            {level === 'own' && <option value="own">{t('graph.fold.own', { n: view.count })}</option>}
          </select>
        )}
        <span className="graph-zoom">
          <Button kind="quiet" size="s" aria-label={t('graph.out')} title={t('graph.out')} onClick={() => canvas.current?.zoom(1 / 1.4)}>
            −
          </Button>
          <Button kind="quiet" size="s" aria-label={t('graph.in')} title={t('graph.in')} onClick={() => canvas.current?.zoom(1.4)}>
            +
          </Button>
          <Button kind="quiet" size="s" onClick={() => canvas.current?.fit()}>
            {t('graph.fit')}
          </Button>
        </span>
        <span className="graph-find">
          <span className="small s3" role="status">
            {isSearching && (found.length === 0 ? t('graph.none') : at >= 0 ? t('graph.match', { at: at + 1, n: found.length }) : t('model.find.count', { n: found.length }))}
          </span>
          {isSearching && found.length > 0 && (
            <>
              <Button kind="quiet" size="s" icon="left" aria-label={t('graph.previous')} title={t('graph.previous')} onClick={() => step(-1)} />
              <Button kind="quiet" size="s" icon="right" aria-label={t('graph.next')} title={t('graph.next')} onClick={() => step(1)} />
            </>
          )}
          <input
            className="in find"
            type="search"
            placeholder={t('graph.find')}
            aria-label={t('graph.find')}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              setAt(-1)
            }}
            onKeyDown={searchKey}
          />
        </span>
      </div>
      <GraphCanvas
        ref={canvas}
        scene={scene}
        label={label}
        selected={selected}
        looksAt={nodeOf(looksAt)}
        onSelect={select}
        onToggle={toggle}
        onFold={fold}
        onEnter={onEnter && ((node) => ((view.folded[node] ?? -1) >= 0 ? toggle(node) : onEnter()))}
        scrolls={scrolls}
        over={over}
      />
      <SelectionLine laid={laid} isPlaced={placement !== null} node={selected} onOpen={open} onFold={fold} />
    </div>
  )
}
