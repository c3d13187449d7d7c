// Open invitations, and the dialog that makes one.
import { useState } from 'react'

import { ROLES, useInvites, useMakeInvite, useRevokeInvite, type Role } from '../../api/team'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { SelectField, TextField } from '../../components/Field'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Once } from './Once'
import { Sheet } from './Sheet'

function InviteDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const make = useMakeInvite()
  const [role, setRole] = useState<Role>('reviewer')
  const [note, setNote] = useState('')
  const [days, setDays] = useState('7')
  const [uses, setUses] = useState('1')
  const made = make.data
  return (
    <Dialog open onClose={onClose} title={t('team.invite.title')}>
      <div className="dbody stack">
        {made ? (
          <Once label={t('team.invite.link')} value={`${window.location.origin}${made.path}`} />
        ) : (
          <>
            <SelectField label={t('team.role')} value={role} onChange={(value) => setRole(value as Role)}>
              {ROLES.map((one) => (
                <option key={one} value={one}>
                  {t(`role.${one}`)}
                </option>
              ))}
            </SelectField>
            <TextField
              label={t('team.invite.note')}
              hint={t('team.invite.noteHint')}
              maxLength={150}
              value={note}
              onChange={setNote}
            />
            <TextField label={t('team.invite.days')} numeric unit={t('team.days')} value={days} onChange={setDays} />
            <TextField label={t('team.invite.uses')} numeric value={uses} onChange={setUses} />
          </>
        )}
        {make.error && <ErrorBanner error={make.error} />}
      </div>
      <div className="dfoot">
        {made ? (
          <Button kind="act" onClick={onClose}>
            {t('team.done')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button
              kind="act"
              busy={make.isPending}
              onClick={() => make.mutate({ role, note, days: Number(days), max_uses: Number(uses) })}
            >
              {t('team.invite.make')}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

export function Invites() {
  const t = useT()
  const formats = useFormats()
  const invites = useInvites()
  const revoke = useRevokeInvite()
  const [making, setMaking] = useState(false)
  return (
    <Sheet
      id="invites"
      title={t('team.invites')}
      action={
        <Button size="s" icon="plus" onClick={() => setMaking(true)}>
          {t('team.invite')}
        </Button>
      }
    >
      {invites.error && <LoadFailed error={invites.error} onRetry={() => void invites.refetch()} />}
      {revoke.error && <ErrorBanner error={revoke.error} />}
      {invites.data?.length === 0 && <p className="small s3 side-text">{t('team.invite.none')}</p>}
      {invites.data && invites.data.length > 0 && (
        <div className="scroll-x">
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('team.invite.note')}</th>
                <th>{t('team.role')}</th>
                <th className="num">{t('team.invite.used')}</th>
                <th>{t('team.expires')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {invites.data.map((one) => (
                <tr key={one.id}>
                  <td>{one.note || '–'}</td>
                  <td>{t(`role.${one.role}`)}</td>
                  <td className="num">{t('team.invite.usedOf', { uses: one.uses, max: one.max_uses })}</td>
                  <td className="s3 nowrap">{formats.dateTime(one.expires_at)}</td>
                  <td className="num">
                    <Button
                      kind="quiet"
                      size="s"
                      aria-label={t('team.invite.revokeOf', { note: one.note })}
                      onClick={() => revoke.mutate(one.id)}
                    >
                      {t('team.invite.revoke')}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && <InviteDialog onClose={() => setMaking(false)} />}
    </Sheet>
  )
}
