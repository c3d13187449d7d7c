// Which profiles of models a pool's devices take costs from, each for its own model.
import { useState } from 'react'

import { useChooseProfiles, useProfiles, type ModelProfile } from '../api/profiles'
import type { Pool } from '../api/types'
import { ErrorBanner } from '../components/Banner'
import { Button } from '../components/Button'
import { SelectField } from '../components/Field'
import { DeviceTag } from '../components/marks'
import { useFormats } from '../format/numbers'
import { useT } from '../i18n'
import { originText } from './origin'

export interface PoolProfilesProps {
  pool: Pool
  /** Why nothing can be chosen now, if so. */
  whyNot: string | null
}

/** The profiles of each device with one more, in place of an earlier one of the same model. */
export function withProfile(
  used: Readonly<Record<string, string[]>>,
  device: string,
  added: ModelProfile,
  rows: readonly ModelProfile[],
): Record<string, string[]> {
  const modelOf = new Map(rows.map((row) => [row.id, row.model]))
  const others = (used[device] ?? []).filter((id) => id !== added.id && modelOf.get(id) !== added.model)
  return { ...used, [device]: [...others, added.id] }
}

export function PoolProfiles({ pool, whyNot }: PoolProfilesProps) {
  const t = useT()
  const formats = useFormats()
  const found = useProfiles()
  const choose = useChooseProfiles(pool)
  const rows = found.data?.results ?? []
  const usable = rows.filter((row) => row.measured_at !== null)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const [chosenDevice, setDevice] = useState('')
  const [chosenProfile, setProfile] = useState('')
  const device = chosenDevice || (pool.devices[0]?.name ?? '')
  const profile = byId.get(chosenProfile) ?? usable[0]
  const titleOf = (row: ModelProfile) =>
    [row.model_name, originText(t, row), row.device, row.runtime, row.measured_at && formats.dateTime(row.measured_at)].filter(Boolean).join(' · ')
  const used = pool.devices.flatMap((one) => (pool.profiles[one.name] ?? []).map((id) => ({ device: one, id })))
  const drop = (name: string, id: string) =>
    choose.mutate({ ...pool.profiles, [name]: (pool.profiles[name] ?? []).filter((one) => one !== id) })
  return (
    <section className="sheet mt" aria-labelledby="pool-profiles-title">
      <div className="head cal-head">
        <h2 id="pool-profiles-title">{t('profile.pool.title')}</h2>
        <span className="small s3">{t('profile.pool.text')}</span>
      </div>
      {choose.error && <ErrorBanner error={choose.error} />}
      {used.length === 0 ? (
        <p className="body small s2">{t('profile.pool.none')}</p>
      ) : (
        <div className="scroll-x">
          <table className="roomy">
            <tbody>
              {used.map(({ device: one, id }) => {
                const row = byId.get(id)
                return (
                  <tr key={`${one.name} ${id}`}>
                    <td>
                      <span className="row">
                        <DeviceTag device={one} />
                        <b className="strong">{one.name}</b>
                      </span>
                    </td>
                    <td>{row ? titleOf(row) : <span className="mono s3">{id.slice(0, 8)}</span>}</td>
                    <td className="num">{row?.figures ? `${formats.figure(row.figures.total_ms)} ms` : '–'}</td>
                    <td className="num">
                      <Button size="s" disabledReason={whyNot} busy={choose.isPending} onClick={() => drop(one.name, id)}>
                        {t('profile.pool.remove')}
                      </Button>
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {profile && (
        <div className="body row wrap">
          <SelectField label={t('profile.device')} value={device} onChange={setDevice}>
            {pool.devices.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </SelectField>
          <SelectField label={t('profile.pool.profile')} value={profile.id} onChange={setProfile}>
            {usable.map((row) => (
              <option key={row.id} value={row.id}>
                {titleOf(row)}
              </option>
            ))}
          </SelectField>
          <Button size="s" disabledReason={whyNot} busy={choose.isPending} onClick={() => choose.mutate(withProfile(pool.profiles, device, profile, rows))}>
            {t('profile.pool.use')}
          </Button>
        </div>
      )}
    </section>
  )
}
