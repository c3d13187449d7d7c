// A zero of tables is never shown as a figure.
import { renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import type { ModelSummary } from '../../api/types'
import { useAmounts } from './amounts'

const summary = (flops: number, parameters: number) => ({ flops, parameters }) as ModelSummary
const amounts = (kind: 'onnx' | 'tables', found: ModelSummary | null) =>
  renderHook(() => useAmounts({ kind, summary: found })).result.current

describe('useAmounts', () => {
  it('says that costs are given where tables do not say what is computed', () => {
    expect(amounts('tables', summary(0, 0))).toEqual({ compute: 'costs given', parameters: '–' })
    expect(amounts('tables', summary(2e9, 0))).toEqual({ compute: '2.00 GFLOP', parameters: '–' })
  })

  it('shows the figures of a model that was read, zeros too', () => {
    expect(amounts('onnx', summary(0, 12))).toEqual({ compute: '0 FLOP', parameters: '12' })
    expect(amounts('onnx', null)).toEqual({ compute: '–', parameters: '–' })
  })
})
