// The members with their roles; owners change and remove them, everybody may leave.
import { useState } from 'react'

import { useSession } from '../../api/queries'
import { ROLES, useChangeRole, useLeave, useMembers, useRemoveMember, type Member, type Role } from '../../api/team'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { BoneRows, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Person } from '../reviews/Person'
import { Sheet } from './Sheet'

function Row({ member, manages, me, onRemove }: { member: Member; manages: boolean; me: boolean; onRemove: () => void }) {
  const t = useT()
  const formats = useFormats()
  const change = useChangeRole()
  const { name } = member.user
  return (
    <tr>
      <td>
        <span className="row">
          <Person person={member.user} />
          {me && <span className="s3 small">{t('team.you')}</span>}
        </span>
        {change.error && <ErrorBanner error={change.error} />}
      </td>
      <td className="s2 cut hide-s">{member.email || '–'}</td>
      <td>
        {manages ? (
          <select
            className="in"
            aria-label={t('team.roleOf', { name })}
            value={member.role}
            onChange={(event) => change.mutate({ id: member.id, role: event.target.value as Role })}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {t(`role.${role}`)}
              </option>
            ))}
          </select>
        ) : (
          t(`role.${member.role}`)
        )}
      </td>
      <td className="s3 nowrap hide-s">{formats.date(member.joined_at)}</td>
      <td className="s3 nowrap hide-s">
        {member.last_sign_in === null ? t('team.never') : formats.dateTime(member.last_sign_in)}
      </td>
      <td className="num">
        {manages && !me && (
          <Button kind="quiet" size="s" icon="trash" aria-label={t('team.removeOf', { name })} onClick={onRemove} />
        )}
      </td>
    </tr>
  )
}

export function Members({ manages }: { manages: boolean }) {
  const t = useT()
  const { data: session } = useSession()
  const members = useMembers()
  const remove = useRemoveMember()
  const leave = useLeave()
  const [doomed, setDoomed] = useState<Member | null>(null)
  const [leaving, setLeaving] = useState(false)
  return (
    <Sheet
      id="members"
      title={t('team.members')}
      action={
        <Button size="s" kind="quiet" onClick={() => setLeaving(true)}>
          {t('team.leave')}
        </Button>
      }
    >
      {members.error && !members.data && <LoadFailed error={members.error} onRetry={() => void members.refetch()} />}
      <div className="scroll-x">
        <table className="tall">
          <thead>
            <tr>
              <th>{t('team.name')}</th>
              <th className="hide-s">{t('team.email')}</th>
              <th>{t('team.role')}</th>
              <th className="hide-s">{t('team.joined')}</th>
              <th className="hide-s">{t('team.seen')}</th>
              <th>
                <span className="sr">{t('common.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.data ? (
              members.data.map((member) => (
                <Row
                  key={member.id}
                  member={member}
                  manages={manages}
                  me={member.user.id === session?.user?.id}
                  onRemove={() => setDoomed(member)}
                />
              ))
            ) : (
              <BoneRows rows={3} columns={6} />
            )}
          </tbody>
        </table>
      </div>
      <ConfirmDialog
        open={doomed !== null}
        title={t('team.remove.ask', { name: doomed?.user.name ?? '' })}
        action={t('team.remove')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed && remove.mutate(doomed.id, { onSuccess: () => setDoomed(null) })}
        onClose={() => setDoomed(null)}
      >
        {t('team.remove.text')}
      </ConfirmDialog>
      <ConfirmDialog
        open={leaving}
        title={t('team.leave.ask', { name: session?.team?.name ?? '' })}
        action={t('team.leave')}
        busy={leave.isPending}
        error={leave.error}
        onConfirm={() => leave.mutate(undefined, { onSuccess: () => window.location.assign('/') })}
        onClose={() => setLeaving(false)}
      >
        {t('team.leave.text')}
      </ConfirmDialog>
    </Sheet>
  )
}
