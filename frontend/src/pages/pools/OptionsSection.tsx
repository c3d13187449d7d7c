// How a pool counts: its name, default device, usable memory, transfers, idle energy.
import { CheckField, SelectField, TextField } from '../../components/Field'
import { Segmented } from '../../components/Segmented'
import { usePoolName } from '../../format/poolName'
import { UNITS } from '../../format/units'
import { useT } from '../../i18n'
import { FigureField, useFieldErrorText } from './FigureField'
import { MemoryDomains } from './MemoryDomains'
import type { Draft } from './useDraft'

const DEFAULT_FRACTION = 0.85

interface Props {
  readonly draft: Draft
  readonly readOnly: boolean
  /** A sample's name is shown in the language of the page. */
  readonly isSample: boolean
}

export function OptionsSection({ draft, readOnly, isSample }: Props) {
  const t = useT()
  const poolName = usePoolName()
  const say = useFieldErrorText()
  const { spec, change, errorAt } = draft
  const idle = spec.idle_energy ?? 'used'
  return (
    <section className="sheet mt" aria-labelledby="options-title">
      <div className="head">
        <h2 id="options-title">{t('pool.options')}</h2>
      </div>
      <div className="body options">
        <TextField
          label={t('pool.poolName')}
          value={poolName(spec.name, isSample)}
          readOnly={readOnly}
          error={say(errorAt('name'))}
          onChange={(name) => change({ ...spec, name })}
        />
        <SelectField
          label={t('pool.default')}
          hint={t('pool.default.hint')}
          value={spec.default_device ?? ''}
          disabled={readOnly}
          error={say(errorAt('default_device'))}
          onChange={(value) => change({ ...spec, default_device: value === '' ? null : value })}
        >
          <option value="">{t('pool.default.auto')}</option>
          {spec.devices.map((device) => (
            <option key={device.name}>{device.name}</option>
          ))}
        </SelectField>
        <FigureField
          label={t('pool.fraction')}
          value={spec.memory_fraction ?? DEFAULT_FRACTION}
          unit={UNITS.fraction}
          readOnly={readOnly}
          source={t('pool.fraction.hint')}
          error={errorAt('memory_fraction')}
          onChange={(value) => change({ ...spec, memory_fraction: value ?? Number.NaN })}
        />
        <MemoryDomains draft={draft} readOnly={readOnly} />
        <div className="field">
          <span className="lab">{t('pool.idle')}</span>
          {readOnly ? (
            <span>{t(`pool.idle.${idle}`)}</span>
          ) : (
            <Segmented
              label={t('pool.idle')}
              value={idle}
              options={[
                { value: 'used', label: t('pool.idle.used') },
                { value: 'pool', label: t('pool.idle.pool') },
              ]}
              onChange={(value) => change({ ...spec, idle_energy: value })}
            />
          )}
        </div>
        <CheckField
          label={t('pool.blocking')}
          hint={t('pool.blocking.hint')}
          checked={spec.blocking_transfers ?? false}
          disabled={readOnly}
          onChange={(checked) => change({ ...spec, blocking_transfers: checked })}
        />
        <CheckField
          label={t('pool.io')}
          hint={t('pool.io.hint')}
          checked={spec.model_io_on_host ?? true}
          disabled={readOnly}
          onChange={(checked) => change({ ...spec, model_io_on_host: checked })}
        />
      </div>
    </section>
  )
}
