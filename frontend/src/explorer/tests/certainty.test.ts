// The range of a plan's time, by hand.
import { expect, it } from 'vitest'

import { energyBySource, planRange, timeBySource } from '../logic/certainty'
import type { PlanDetail, PlanOperator } from '../types'

const op = (index: number, time: number, low: number, high: number, source: string, more = {}) =>
  ({
    index, time_ms: time, time_low_ms: low, time_high_ms: high, cost_source: source, energy_source: 'template',
    energy_j: time, is_view: false, ...more,
  }) as PlanOperator

it('adds errors of the critical path as independent ones', () => {
  const operators = [op(0, 10, 7, 14, 'learned'), op(1, 10, 6, 13, 'fitted'), op(2, 5, 0, 500, 'roofline')]
  const detail = { critical_path: [0, 1], operators } as unknown as PlanDetail
  expect(planRange(detail, 20)).toEqual({ low: 15, high: 25 })
  expect(planRange({ ...detail, critical_path: [] }, 20)).toEqual({ low: 20, high: 20 })
})

it('weighs sources by time and by energy, without views', () => {
  const rows = [op(0, 3, 1, 4, 'measured', { energy_j: 9 }), op(1, 1, 1, 1, 'learned', { energy_source: 'estimated' }), op(2, 9, 9, 9, 'view', { is_view: true })]
  expect(timeBySource(rows)).toEqual([['measured', 0.75], ['learned', 0.25]])
  expect(energyBySource(rows)).toEqual([['template', 0.9], ['estimated', 0.1]])
})
