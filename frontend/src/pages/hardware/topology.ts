// A host's topology as boxes in boxes: what holds one thing only is written beside it instead of around it.
export interface TopologyNode {
  id: string
  kind: string
  name: string
  parent: string | null
  memory_bytes: number | null
  cpuset: string
  attributes: Record<string, string | number>
}

export interface TopologyLink {
  source: string
  target: string
  kind: string
  distance: number | null
  bandwidth_gb_per_s: number | null
  latency_us: number | null
}

export interface Topology {
  nodes: TopologyNode[]
  links: TopologyLink[]
  distances: { nodes: string[]; matrix: number[][] }
}

export interface Box {
  node: TopologyNode
  /** What lies between this box and the one around it, outermost first: caches of one core, for example. */
  around: TopologyNode[]
  inside: Box[]
}

/** Reads what the server sent; null if it is no topology. */
export function readTopology(data: unknown): Topology | null {
  if (typeof data !== 'object' || data === null || !('nodes' in data) || !Array.isArray(data.nodes)) return null
  const { nodes, links, distances } = data as Partial<Topology>
  return { nodes: nodes ?? [], links: links ?? [], distances: distances ?? { nodes: [], matrix: [] } }
}

const FOLDED = new Set(['cache_l1', 'cache_l2', 'cache_l3', 'package'])

/** The boxes of a topology: machines with what they hold. */
export function boxes(topology: Topology): Box[] {
  const children = new Map<string | null, TopologyNode[]>()
  for (const node of topology.nodes) {
    const siblings = children.get(node.parent)
    if (siblings) siblings.push(node)
    else children.set(node.parent, [node])
  }
  const box = (node: TopologyNode, around: TopologyNode[]): Box => {
    const held = children.get(node.id) ?? []
    const only = held[0]
    if (held.length === 1 && only && FOLDED.has(node.kind)) return box(only, [...around, node])
    return { node, around, inside: held.map((child) => box(child, [])) }
  }
  return (children.get(null) ?? []).map((node) => box(node, []))
}
