// The form of what a model's file leaves open: texts in, checked answers out.
import type { Given, OperatorCost, Questions } from '../../api/types'
import { wholeNumber } from './planSettings'

const LARGEST_SIZE = 2_147_483_647
const MOST_TRIPS = 1_048_576
const LARGEST_AMOUNT = 1_125_899_906_842_624

export interface CostTexts {
  flops: string
  read: string
  written: string
}

export interface OpenForm {
  shapes: Record<string, string>
  trips: Record<string, string>
  branches: Record<string, string>
  costs: Record<string, CostTexts>
}

/** Sizes in a text such as `1 x 3 x 224`, `[1, 3]` or `scalar`; null where it is none. */
export function readShape(text: string): number[] | null {
  const plain = text.trim().replace(/^[[(]/, '').replace(/[\])]$/, '').trim()
  if (plain === '' || plain === 'scalar') return []
  const sizes = plain.split(/\s*[x×,]\s*|\s+/).map((part) => wholeNumber(part, 0, LARGEST_SIZE))
  return sizes.every((size) => size !== null) ? sizes : null
}

export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? 'scalar' : shape.join(' x ')
}

function text(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

/** The answers so far as texts; what was not answered is empty. */
export function openForm(questions: Questions, given: Given): OpenForm {
  const entries = <T>(list: readonly T[], key: (one: T) => string, value: (one: T) => string) =>
    Object.fromEntries(list.map((one) => [key(one), value(one)]))
  return {
    shapes: entries(questions.shapes, (one) => one.tensor, (one) => {
      const shape = given.shapes?.[one.tensor]
      return shape ? shapeText(shape) : ''
    }),
    trips: entries(questions.trips, (one) => one.operator, (one) => text(given.trips?.[one.operator])),
    branches: entries(questions.branches, (one) => one.operator, (one) => text(given.then_shares?.[one.operator])),
    costs: Object.fromEntries(
      questions.operators.map((one) => {
        const cost = given.costs?.[one.key]
        return [one.key, { flops: text(cost?.flops), read: text(cost?.bytes_read), written: text(cost?.bytes_written) }]
      }),
    ),
  }
}

/** Name and kind of a field whose text cannot be used. */
export type WrongField = `${keyof OpenForm}:${string}`

/** Checks the form. Empty fields give nothing; answers that the form does not show stay as they are. */
export function readOpenForm(form: OpenForm, before: Given): { given: Given; wrong: WrongField[] } {
  const wrong: WrongField[] = []
  const shapes = { ...before.shapes }
  const trips = { ...before.trips }
  const shares = { ...before.then_shares }
  const costs: Record<string, OperatorCost> = { ...before.costs }

  function put<T>(all: Record<string, T>, kind: keyof OpenForm, name: string, written: string, read: (text: string) => T | null) {
    Reflect.deleteProperty(all, name)
    if (written.trim() === '') return
    const value = read(written)
    if (value === null) wrong.push(`${kind}:${name}`)
    else all[name] = value
  }
  for (const [name, written] of Object.entries(form.shapes)) put(shapes, 'shapes', name, written, readShape)
  for (const [name, written] of Object.entries(form.trips)) put(trips, 'trips', name, written, (one) => wholeNumber(one, 0, MOST_TRIPS))
  for (const [name, written] of Object.entries(form.branches)) {
    put(shares, 'branches', name, written, (one) => {
      const value = Number(one.trim())
      return Number.isFinite(value) && value >= 0 && value <= 1 ? value : null
    })
  }
  for (const [key, texts] of Object.entries(form.costs)) {
    const { flops_per_element } = costs[key] ?? {}
    const cost: OperatorCost = flops_per_element === undefined ? {} : { flops_per_element }
    const amounts = [
      ['flops', texts.flops],
      ['bytes_read', texts.read],
      ['bytes_written', texts.written],
    ] as const
    for (const [field, written] of amounts) {
      if (written.trim() === '') continue
      const value = wholeNumber(written, 0, LARGEST_AMOUNT)
      if (value === null) wrong.push(`costs:${key}`)
      else cost[field] = value
    }
    Reflect.deleteProperty(costs, key)
    if (Object.keys(cost).length > 0) costs[key] = cost
  }
  const given: Given = {}
  if (Object.keys(shapes).length > 0) given.shapes = shapes
  if (Object.keys(trips).length > 0) given.trips = trips
  if (Object.keys(shares).length > 0) given.then_shares = shares
  if (Object.keys(costs).length > 0) given.costs = costs
  return { given, wrong }
}
