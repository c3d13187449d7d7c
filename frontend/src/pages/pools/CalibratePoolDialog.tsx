// Calibrates all devices of a pool that its host has: whose operators first, how many, for how long each.
import { useState } from 'react'

import { useCalibratePool } from '../../api/machines'
import { useModels } from '../../api/queries'
import type { Pool } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { ModelChecks } from './ModelChecks'

const BUDGET_S = [5, 3600] as const
const CASES = [1, 5000] as const
const FIRST_MODELS = 5

function within(text: string, [low, high]: readonly [number, number]): number | null {
  const value = Number(text)
  return text.trim() !== '' && Number.isInteger(value) && value >= low && value <= high ? value : null
}

export function CalibratePoolDialog({ pool, devices, onClose }: { pool: Pool; devices: readonly string[]; onClose: () => void }) {
  const t = useT()
  const start = useCalibratePool(pool.id)
  const models = useModels()
  const ready = (models.data?.results ?? []).filter((model) => model.state === 'ready')
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const [budget, setBudget] = useState('120')
  const [count, setCount] = useState('1300')
  const first = chosen ?? ready.slice(0, FIRST_MODELS).map((model) => model.id)
  const [seconds, cases] = [within(budget, BUDGET_S), within(count, CASES)]
  const range = ([low, high]: readonly [number, number]) => t('plan.whole', { low, high })
  return (
    <Dialog open onClose={onClose} title={t('step.calibrate.go', { n: devices.length })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (seconds !== null && cases !== null) start.mutate({ models: [...first], budget_s: seconds, count: cases }, { onSuccess: onClose })
        }}
      >
        <div className="dbody stack">
          <p className="s2">{t('cal.all.text', { list: devices.join(t('list.comma')) })}</p>
          <ModelChecks models={ready} chosen={first} onChange={setChosen} />
          <TextField label={t('cal.all.budget')} value={budget} error={seconds === null ? range(BUDGET_S) : null} onChange={setBudget} />
          <TextField label={t('cal.all.cases')} value={count} error={cases === null ? range(CASES) : null} onChange={setCount} />
          {start.error && <ErrorBanner error={start.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={start.isPending} disabledReason={seconds === null || cases === null ? t('cal.all.fix') : null}>
            {t('cal.start.go')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
