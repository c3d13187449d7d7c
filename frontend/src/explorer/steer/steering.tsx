/** Pins and forbidden devices of the next search, the operators that are selected for them, and ways to change both. */
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

import { conflictOf, type Conflict, type Pins, sameSteering, type Steering, steeringOf, withPins } from '../logic/pins'
import { useExplorer } from '../state/context'
import { usePlanDetail } from '../state/plan-detail'
import type { PlanOperator } from '../types'

export interface SteeringState extends Steering {
  /** Operators of the plan; their names stand for the pins. Empty until a plan is read. */
  readonly operators: readonly PlanOperator[]
  /** Whether this differs from what the search on the page was told. */
  readonly changed: boolean
  readonly conflict: Conflict | null
  /** Pin operators to a device, or unpin them with null. */
  readonly pin: (indices: Iterable<number>, device: number | null) => void
  readonly setPins: (pins: Pins) => void
  readonly toggleDevice: (device: number) => void
  /** Back to what the search on the page was told. */
  readonly reset: () => void
  /** Indices of the operators that are selected in the table. */
  readonly selected: ReadonlySet<number>
  readonly select: (indices: Iterable<number>) => void
}

const SteeringContext = createContext<SteeringState | null>(null)

export function SteeringProvider({ children }: { children: ReactNode }) {
  const { search, model, state, update } = useExplorer()
  const { detail } = usePlanDetail()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const operators = useMemo(() => detail?.operators ?? [], [detail])
  const { devices } = model.front
  const own = useMemo(() => steeringOf(search, operators, devices), [search, operators, devices])
  const value = useMemo((): SteeringState => {
    const pins = state.pins ?? own.pins
    const forbidden = (state.forbidden ?? own.forbidden).filter((i) => i < devices.length)
    const setPins = (next: Pins) => update({ pins: sameSteering({ pins: next, forbidden: [] }, { pins: own.pins, forbidden: [] }) ? null : next })
    return {
      pins,
      forbidden,
      operators,
      changed: !sameSteering({ pins, forbidden }, own),
      conflict: conflictOf({ pins, forbidden }, devices.length),
      pin: (indices, device) => setPins(withPins(pins, indices, device)),
      setPins,
      toggleDevice: (device) => {
        const next = forbidden.includes(device) ? forbidden.filter((i) => i !== device) : [...forbidden, device].sort((a, b) => a - b)
        update({ forbidden: next.join() === own.forbidden.join() ? null : next })
      },
      reset: () => update({ pins: null, forbidden: null }),
      selected,
      select: (indices) => setSelected(new Set(indices)),
    }
  }, [state.pins, state.forbidden, own, operators, devices, selected, update])
  return <SteeringContext value={value}>{children}</SteeringContext>
}

export function useSteering(): SteeringState {
  const steering = useContext(SteeringContext)
  if (!steering) throw new Error('useSteering outside of its provider')
  return steering
}
