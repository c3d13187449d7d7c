// What the page and the worker that lays graphs out say to each other.
import type { GraphData } from './data'
import type { Placed } from './scene'

/** A graph, once, or what is folded in the graph that was sent last. */
export type LayoutRequest = { readonly graph: GraphData } | { readonly folded: readonly number[] }

export type LayoutAnswer = { readonly placed: Placed } | { readonly failed: string }
