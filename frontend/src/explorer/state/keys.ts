/** Single-key shortcuts: what each key does, and whether they are on in this browser. */
import { useSyncExternalStore } from 'react'

import { TABS } from '../logic/address'
import { pick } from '../logic/model'
import type { Explorer } from './context'
import { stepPlan, swapPlans } from './step'

const KEY = 'heteroopt.explorer.keys'
const listeners = new Set<() => void>()

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

let enabled = stored()

export function setKeysEnabled(on: boolean): void {
  enabled = on
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off')
  } catch {
    // A browser that keeps nothing still switches for this visit.
  }
  listeners.forEach((listener) => listener())
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useKeysEnabled(): boolean {
  return useSyncExternalStore(subscribe, () => enabled)
}

/** Fields keep their keys. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return target.type !== 'range' && target.type !== 'checkbox'
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

export interface KeyActions {
  readonly find: () => void
  readonly fit: () => void
  readonly pin: () => void
  readonly tryBest: () => void
  readonly help: () => void
  /** Closes the innermost thing that is open. */
  readonly escape: () => boolean
}

/** Acts on a key; returns whether it did. `?` and Escape work even when single keys are off. */
export function actOnKey(key: string, explorer: Explorer, actions: KeyActions): boolean {
  const { model, state, hover, update, setA, setB } = explorer
  if (key === 'Escape') return actions.escape()
  if (key === '?') {
    actions.help()
    return true
  }
  if (!enabled) return false
  const tab = TABS[Number(key) - 1]
  if (/^[1-9]$/.test(key) && tab) {
    update({ tab })
    return true
  }
  switch (key) {
    case '[':
      stepPlan(explorer, -1)
      return true
    case ']':
      stepPlan(explorer, 1)
      return true
    case 'a':
      if (hover.get() >= 0) setA(hover.get())
      return true
    case 'b':
      if (hover.get() >= 0) setB(hover.get())
      else update({ b: pick(model.plans[model.a]) })
      return true
    case 'x':
      swapPlans(explorer)
      return true
    case 'v':
      update({ view: state.view === 'table' ? 'both' : 'table' })
      return true
    case '/':
      update({ tab: 'operators', place: 'work' })
      actions.find()
      return true
    case 't':
      actions.tryBest()
      return true
    case 'p':
      actions.pin()
      return true
    case 'f':
      actions.fit()
      return true
    case 'z':
      explorer.undo()
      return true
    default:
      return false
  }
}
