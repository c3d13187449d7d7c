// Sets a webhook, then shows its secret once.
import { useState } from 'react'

import { EVENTS, useMakeWebhook, type EventName } from '../../api/team'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { CheckField, TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { Once } from './Once'

export function WebhookDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const make = useMakeWebhook()
  const [url, setUrl] = useState('https://')
  const [events, setEvents] = useState<ReadonlySet<EventName>>(new Set(EVENTS))
  const made = make.data
  const toggle = (name: EventName, on: boolean) =>
    setEvents(new Set(EVENTS.filter((one) => (one === name ? on : events.has(one)))))
  return (
    <Dialog open onClose={onClose} title={t('team.hook.new')}>
      <div className="dbody stack">
        {made ? (
          <Once label={t('team.hook.secret')} value={made.secret} />
        ) : (
          <>
            <TextField label={t('team.hook.url')} inputMode="url" maxLength={1000} value={url} onChange={setUrl} />
            <fieldset className="checks">
              <legend className="lab">{t('team.hook.events')}</legend>
              {EVENTS.map((name) => (
                <CheckField
                  key={name}
                  label={t(`team.event.${name}`)}
                  checked={events.has(name)}
                  onChange={(on) => toggle(name, on)}
                />
              ))}
            </fieldset>
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
            <Button kind="act" busy={make.isPending} onClick={() => make.mutate({ url, events: [...events] })}>
              {t('team.hook.new')}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}
