import { describe, expect, it } from 'vitest'

import type { Questions } from '../../api/types'
import { openForm, readOpenForm, readShape, shapeText } from './openForm'

const QUESTIONS: Questions = {
  shapes: [{ tensor: 'h', operator: 'magic', op_type: 'Magic', reason: 'shape_unknown', size_bytes: 32, shape: null }],
  trips: [{ operator: 'loop', assumed: 1, is_given: false, is_bound: false }],
  branches: [{ operator: 'if', then_share: null }],
  operators: [{ key: 'com.example::Magic', count: 2, is_given: false, operators: ['magic'] }],
}

describe('shapes as people write them', () => {
  it.each([
    ['1x3x224x224', [1, 3, 224, 224]],
    ['[2, 10]', [2, 10]],
    [' 2 × 10 ', [2, 10]],
    ['2 10', [2, 10]],
    ['7', [7]],
    ['scalar', []],
  ])('%s', (text, shape) => {
    expect(readShape(text)).toEqual(shape)
    expect(readShape(shapeText(shape))).toEqual(shape)
  })

  it.each(['2 x ?', '-1', 'N', '1.5', '99999999999'])('%s is none', (text) => {
    expect(readShape(text)).toBeNull()
  })
})

describe('what the file leaves open', () => {
  it('gives nothing while nothing is filled in', () => {
    expect(readOpenForm(openForm(QUESTIONS, {}), {})).toEqual({ given: {}, wrong: [] })
  })

  it('reads every kind of answer, and shows it again', () => {
    const form = {
      shapes: { h: '2 x 10' },
      trips: { loop: '20' },
      branches: { if: '0.25' },
      costs: { 'com.example::Magic': { flops: '5000', read: '', written: '80' } },
    }
    const { given, wrong } = readOpenForm(form, {})
    expect(wrong).toEqual([])
    expect(given).toEqual({
      shapes: { h: [2, 10] },
      trips: { loop: 20 },
      then_shares: { if: 0.25 },
      costs: { 'com.example::Magic': { flops: 5000, bytes_written: 80 } },
    })
    expect(openForm(QUESTIONS, given)).toEqual(form)
  })

  it('names the fields that cannot be used', () => {
    const { wrong } = readOpenForm(
      { shapes: { h: 'wide' }, trips: { loop: '-1' }, branches: { if: '2' }, costs: { m: { flops: 'x', read: '', written: '' } } },
      {},
    )
    expect(wrong).toEqual(['shapes:h', 'trips:loop', 'branches:if', 'costs:m'])
  })

  it('keeps answers that it does not show and drops those that were emptied', () => {
    const before = { shapes: { other: [1], h: [2] }, costs: { 'com.example::Magic': { flops_per_element: 2.5 } } }
    const { given } = readOpenForm({ ...openForm(QUESTIONS, before), shapes: { h: '' } }, before)
    expect(given).toEqual({ shapes: { other: [1] }, costs: { 'com.example::Magic': { flops_per_element: 2.5 } } })
  })
})
