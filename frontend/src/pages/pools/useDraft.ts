// The draft of a pool with its checks: the server names every wrong field while one types.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'

import { checkPool } from '../../api/mutations'
import type { FieldError, Pool, PoolCheck, PoolSpec } from '../../api/types'
import { hasBadNumber } from './draft'

const CHECK_AFTER_MS = 350

function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}

export interface Draft {
  spec: PoolSpec
  /** The draft as it was when the last check of it began. */
  settled: PoolSpec
  change: (next: PoolSpec) => void
  reset: () => void
  dirty: boolean
  /** A figure is no number, so the draft cannot be sent. */
  unreadable: boolean
  check: PoolCheck | undefined
  /** The error of a field by its path, such as `devices.0.idle_power_w`. */
  errorAt: (path: string) => FieldError | undefined
  errors: readonly FieldError[]
}

export function useDraft(pool: Pool): Draft {
  const [spec, setSpec] = useState(pool.spec)
  const [base, setBase] = useState(pool.spec)
  if (base !== pool.spec && pool.version > 0) {
    setBase(pool.spec)
    setSpec(pool.spec)
  }
  const settled = useSettled(spec, CHECK_AFTER_MS)
  const unreadable = useMemo(() => hasBadNumber(spec), [spec])
  const dirty = spec !== pool.spec && JSON.stringify(spec) !== JSON.stringify(pool.spec)
  const check = useQuery({
    queryKey: ['pool-check', settled],
    queryFn: ({ signal }) => checkPool(settled, signal),
    enabled: !hasBadNumber(settled),
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: (previous) => previous,
  })
  const errors = useMemo(() => check.data?.errors ?? [], [check.data])
  const byField = useMemo(() => new Map(errors.map((error) => [error.field, error])), [errors])
  return {
    spec,
    settled,
    change: setSpec,
    reset: () => setSpec(pool.spec),
    dirty,
    unreadable,
    check: check.data,
    errorAt: (path) => byField.get(path),
    errors,
  }
}
