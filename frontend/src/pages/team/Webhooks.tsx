// The team's webhooks with what was sent to them.
import { useState } from 'react'

import { useChangeWebhook, useDeleteWebhook, useNewSecret, usePing, useWebhooks, type Webhook } from '../../api/team'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Dialog } from '../../components/Dialog'
import { Chip } from '../../components/marks'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { Deliveries } from './Deliveries'
import { Once } from './Once'
import { Sheet } from './Sheet'
import { WebhookDialog } from './WebhookDialog'

function Item({ hook, onDelete }: { hook: Webhook; onDelete: () => void }) {
  const t = useT()
  const change = useChangeWebhook()
  const ping = usePing()
  const renew = useNewSecret()
  const error = change.error ?? ping.error ?? renew.error
  return (
    <li className="hook">
      <div className="row">
        <span className="mono cut grow">{hook.url}</span>
        <Chip tone={hook.active ? 'ok' : 'draft'}>{hook.active ? t('team.hook.on') : t('team.hook.off')}</Chip>
        <Menu
          trigger={
            <Button kind="quiet" size="s" icon="more" aria-label={t('team.hook.actions', { url: hook.url })} />
          }
        >
          <MenuItem onSelect={() => ping.mutate(hook.id, { onSuccess: () => toast(t('team.hook.pinged')) })}>
            {t('team.hook.ping')}
          </MenuItem>
          <MenuItem onSelect={() => change.mutate({ id: hook.id, active: !hook.active })}>
            {hook.active ? t('team.hook.switchOff') : t('team.hook.switchOn')}
          </MenuItem>
          <MenuItem onSelect={() => renew.mutate(hook.id)}>{t('team.hook.newSecret')}</MenuItem>
          <MenuLine />
          <MenuItem icon="trash" bad onSelect={onDelete}>
            {t('common.delete')}
          </MenuItem>
        </Menu>
      </div>
      <p className="small s3">{hook.events.join(', ')}</p>
      {error && <ErrorBanner error={error} />}
      <details className="small">
        <summary>{t('team.hook.log')}</summary>
        <Deliveries hook={hook.id} />
      </details>
      <Dialog open={renew.data !== undefined} onClose={renew.reset} title={t('team.hook.newSecret')}>
        <div className="dbody">{renew.data && <Once label={t('team.hook.secret')} value={renew.data.secret} />}</div>
        <div className="dfoot">
          <Button kind="act" onClick={renew.reset}>
            {t('team.done')}
          </Button>
        </div>
      </Dialog>
    </li>
  )
}

export function Webhooks() {
  const t = useT()
  const hooks = useWebhooks()
  const remove = useDeleteWebhook()
  const [making, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<Webhook | null>(null)
  return (
    <Sheet
      id="webhooks"
      title={t('team.hooks')}
      text={t('team.hooks.text')}
      action={
        <Button size="s" icon="plus" onClick={() => setMaking(true)}>
          {t('team.hook.new')}
        </Button>
      }
    >
      {hooks.error && <LoadFailed error={hooks.error} onRetry={() => void hooks.refetch()} />}
      {hooks.data?.length === 0 && <p className="small s3 side-text">{t('team.hook.none')}</p>}
      <ul>{hooks.data?.map((hook) => <Item key={hook.id} hook={hook} onDelete={() => setDoomed(hook)} />)}</ul>
      {making && <WebhookDialog onClose={() => setMaking(false)} />}
      <ConfirmDialog
        open={doomed !== null}
        title={t('team.hook.delete.ask')}
        action={t('common.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed && remove.mutate(doomed.id, { onSuccess: () => setDoomed(null) })}
        onClose={() => setDoomed(null)}
      >
        {t('team.hook.delete.text', { url: doomed?.url ?? '' })}
      </ConfirmDialog>
    </Sheet>
  )
}
