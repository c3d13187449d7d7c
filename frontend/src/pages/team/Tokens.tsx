// The reader's own API tokens.
import { useState } from 'react'

import { useMakeToken, useRevokeToken, useTokens, type Token } from '../../api/team'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Dialog } from '../../components/Dialog'
import { SelectField, TextField } from '../../components/Field'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Once } from './Once'
import { Sheet } from './Sheet'

function TokenDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const make = useMakeToken()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Token['scope']>('read')
  const [days, setDays] = useState('90')
  const made = make.data
  return (
    <Dialog open onClose={onClose} title={t('team.token.new')}>
      <div className="dbody stack">
        {made ? (
          <Once label={t('team.token.secret')} value={made.secret} />
        ) : (
          <>
            <TextField label={t('team.token.name')} maxLength={100} value={name} onChange={setName} />
            <SelectField
              label={t('team.token.scope')}
              value={scope}
              onChange={(value) => setScope(value as Token['scope'])}
            >
              <option value="read">{t('team.token.scope.read')}</option>
              <option value="write">{t('team.token.scope.write')}</option>
            </SelectField>
            <TextField label={t('team.invite.days')} numeric unit={t('team.days')} value={days} onChange={setDays} />
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
              onClick={() => make.mutate({ name, scope, days: Number(days) })}
            >
              {t('team.token.new')}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

export function Tokens() {
  const t = useT()
  const formats = useFormats()
  const tokens = useTokens()
  const revoke = useRevokeToken()
  const [making, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<Token | null>(null)
  const expired = (one: Token) => new Date(one.expires_at) <= new Date()
  return (
    <Sheet
      id="tokens"
      title={t('team.tokens')}
      text={t('team.tokens.text')}
      action={
        <Button size="s" icon="plus" onClick={() => setMaking(true)}>
          {t('team.token.new')}
        </Button>
      }
    >
      {tokens.error && <LoadFailed error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && <p className="small s3 side-text">{t('team.token.none')}</p>}
      {tokens.data && tokens.data.length > 0 && (
        <div className="scroll-x">
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('team.token.name')}</th>
                <th>{t('team.token.start')}</th>
                <th>{t('team.token.scope')}</th>
                <th>{t('team.token.used')}</th>
                <th>{t('team.expires')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.data.map((one) => (
                <tr key={one.id}>
                  <td>{one.name}</td>
                  <td className="mono s3">{one.start}…</td>
                  <td>{t(`team.token.scope.${one.scope}`)}</td>
                  <td className="s3 nowrap">
                    {one.last_used_at === null ? t('team.never') : formats.dateTime(one.last_used_at)}
                  </td>
                  <td className="s3 nowrap">{expired(one) ? t('team.token.expired') : formats.date(one.expires_at)}</td>
                  <td className="num">
                    <Button
                      kind="quiet"
                      size="s"
                      aria-label={t('team.token.revokeOf', { name: one.name })}
                      onClick={() => setDoomed(one)}
                    >
                      {t('team.token.revoke')}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && <TokenDialog onClose={() => setMaking(false)} />}
      <ConfirmDialog
        open={doomed !== null}
        title={t('team.token.revoke.ask', { name: doomed?.name ?? '' })}
        action={t('team.token.revoke')}
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => doomed && revoke.mutate(doomed.id, { onSuccess: () => setDoomed(null) })}
        onClose={() => setDoomed(null)}
      >
        {t('team.token.revoke.text')}
      </ConfirmDialog>
    </Sheet>
  )
}
