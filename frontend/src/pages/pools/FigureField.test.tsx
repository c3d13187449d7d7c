// The figure input: what is typed stays as typed, what is stored has the stored unit, errors are announced.
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'

import { UNITS } from '../../format/units'
import { FigureField } from './FigureField'

function Harness({ seen, error }: { seen: (number | null)[]; error?: boolean }) {
  const [value, setValue] = useState<number | null>(40e9)
  return (
    <FigureField
      label="Size"
      value={value}
      unit={UNITS.gigabytes}
      readOnly={false}
      source="data sheet"
      error={
        error ? { field: 'f', code: 'out_of_range', message: '', params: { value: 4e6, low: 4e7, high: 4e11, unit: 'bytes' } } : undefined
      }
      onChange={(next) => {
        seen.push(next)
        setValue(next)
      }}
    />
  )
}

describe('FigureField', () => {
  it('keeps a half-typed figure and reports the stored unit', async () => {
    const seen: (number | null)[] = []
    render(<Harness seen={seen} />)
    const input = screen.getByLabelText<HTMLInputElement>('Size')
    expect(input.value).toBe('40')
    await userEvent.clear(input)
    await userEvent.type(input, '80.5')
    expect(input.value).toBe('80.5')
    expect(seen).toEqual([null, 8e9, 80e9, 80e9, 80.5e9])
  })

  it('marks nonsense at once and says so', async () => {
    render(<Harness seen={[]} />)
    const input = screen.getByLabelText('Size')
    expect(screen.getByText('data sheet')).toBeTruthy()
    await userEvent.type(input, 'x')
    expect(input.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Not a number')).toBeTruthy()
  })

  it("shows the server's complaint instead of the source", () => {
    render(<Harness seen={[]} error />)
    expect(screen.getByText('0.004 is outside 0.04 to 400 GB. Check the unit; the usual mistake is a power of ten.')).toBeTruthy()
    expect(screen.queryByText('data sheet')).toBeNull()
  })
})
