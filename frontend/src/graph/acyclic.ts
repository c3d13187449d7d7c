// Folding a scope that an edge leaves and re-enters would close a cycle; such scopes become several nodes.
import { adjacency, type GraphData } from './data'

type Edges = Pick<GraphData, 'count' | 'source' | 'target'>

/**
 * The node of every operator: one per operator outside any group (-1), one per group, or several for a group that
 * takes part in a cycle of the folded graph. Nodes are numbered by their first operator.
 *
 * Only the groups of one strongly connected component are cut, where a topological order that stays inside a group as
 * long as it can has to leave it. Pieces that follow each other in a topological order cannot form a cycle.
 */
export function partsWithoutCycles(graph: Edges, groups: Int32Array): Int32Array {
  const whole = groups.map((group, op) => (group < 0 ? graph.count + op : group))
  const nodes = renumbered(whole)
  if (groups.every((group) => group < 0)) return nodes
  const count = nodes.reduce((most, node) => Math.max(most, node + 1), 0)
  const component = components(graph, nodes, count)
  const sizes = new Map<number, number>()
  component.forEach((id) => sizes.set(id, (sizes.get(id) ?? 0) + 1))
  if (sizes.size === count) return nodes
  const cut = Int32Array.from(nodes, (node) => ((sizes.get(component[node] ?? 0) ?? 0) > 1 ? (component[node] ?? 0) : -1))
  return renumbered(cutIntoRuns(graph, nodes, cut, count))
}

/** The same classes, numbered from 0 by their first member. */
function renumbered(classes: Int32Array): Int32Array {
  const numbers = new Map<number, number>()
  return classes.map((id) => {
    let number = numbers.get(id)
    if (number === undefined) {
      number = numbers.size
      numbers.set(id, number)
    }
    return number
  })
}

/** Strongly connected components of the folded graph (Tarjan 1972, without recursion). */
function components(graph: Edges, nodes: Int32Array, count: number): Int32Array {
  const from = Int32Array.from(graph.source, (op) => nodes[op] ?? 0)
  const to = Int32Array.from(graph.target, (op) => nodes[op] ?? 0)
  const out = adjacency(count, from)
  const index = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const next = out.start.slice(0, count)
  const component = new Int32Array(count).fill(-1)
  const stack: number[] = []
  let visited = 0
  let found = 0
  for (let root = 0; root < count; root += 1) {
    if (index[root] !== -1) continue
    const path = [root]
    while (path.length > 0) {
      const node = path[path.length - 1] ?? 0
      if (index[node] === -1) {
        index[node] = low[node] = visited
        visited += 1
        stack.push(node)
      }
      const at = next[node] ?? 0
      if (at < (out.start[node + 1] ?? 0)) {
        next[node] = at + 1
        const child = to[out.list[at] ?? 0] ?? 0
        if (index[child] === -1) path.push(child)
        else if (component[child] === -1) low[node] = Math.min(low[node] ?? 0, index[child] ?? 0)
        continue
      }
      path.pop()
      const parent = path[path.length - 1]
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0)
      if (low[node] !== index[node]) continue
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        component[member] = found
        if (member === node) break
      }
      found += 1
    }
  }
  return component
}

/** Gives every operator with `cut` >= 0 the number of its run; the others keep their node. */
function cutIntoRuns(graph: Edges, nodes: Int32Array, cut: Int32Array, count: number): Int32Array {
  const out = adjacency(graph.count, graph.source)
  const waiting = new Int32Array(graph.count)
  graph.target.forEach((op, edge) => {
    if ((cut[op] ?? -1) >= 0 && cut[op] === cut[graph.source[edge] ?? 0]) waiting[op] = (waiting[op] ?? 0) + 1
  })
  // Ready operators by node.
  const ready = new Map<number, number[]>()
  const enter = (op: number) => {
    const node = nodes[op] ?? 0
    const list = ready.get(node)
    if (list) list.push(op)
    else ready.set(node, [op])
  }
  cut.forEach((id, op) => {
    if (id >= 0 && waiting[op] === 0) enter(op)
  })
  const pieces = nodes.slice()
  let run = count
  while (ready.size > 0) {
    // The node that has the earliest operator among those first ready; its run goes on as long as it has ready ones.
    let node = -1
    let lowest = Infinity
    for (const [id, list] of ready) {
      const at = list[0] ?? 0
      if (at < lowest) [node, lowest] = [id, at]
    }
    const list = ready.get(node) ?? []
    for (let op = list.pop(); op !== undefined; op = list.pop()) {
      pieces[op] = run
      for (let k = out.start[op] ?? 0; k < (out.start[op + 1] ?? 0); k += 1) {
        const reader = graph.target[out.list[k] ?? 0] ?? 0
        if (cut[reader] !== cut[op]) continue
        waiting[reader] = (waiting[reader] ?? 0) - 1
        if (waiting[reader] === 0) enter(reader)
      }
    }
    ready.delete(node)
    run += 1
  }
  return pieces
}
