// Keeps work away from a device, or lets it work again; owners only.
import { useState } from 'react'

import { useCordon, type HostDevice } from '../../api/hardware'
import { useSession } from '../../api/queries'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'

export function CordonButton({ device }: { device: HostDevice }) {
  const t = useT()
  const { data: session } = useSession()
  const cordon = useCordon(device.id)
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState('')
  const may = session?.permissions.includes('manage') ?? false
  const why = may ? null : t('hardware.cordon.owners')
  const send = (cordoned: boolean) =>
    cordon.mutate(
      { cordoned, note: note.trim() },
      {
        onSuccess: () => {
          setAsking(false)
          setNote('')
        },
      },
    )
  return (
    <>
      {device.cordoned ? (
        <Button size="s" busy={cordon.isPending} disabledReason={why} onClick={() => send(false)}>
          {t('hardware.uncordon')}
        </Button>
      ) : (
        <Button size="s" kind="quiet" disabledReason={why} aria-label={t('hardware.cordon.one', { name: device.name })} onClick={() => setAsking(true)}>
          {t('hardware.cordon')}
        </Button>
      )}
      {asking && (
        <Dialog open onClose={() => setAsking(false)} title={t('hardware.cordon.ask', { name: device.name })}>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              send(true)
            }}
          >
            <div className="dbody stack">
              <p className="s2">{t('hardware.cordon.text')}</p>
              <TextField label={t('hardware.cordon.note')} maxLength={200} value={note} onChange={setNote} />
              {cordon.error && <ErrorBanner error={cordon.error} />}
            </div>
            <div className="dfoot">
              <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
              <Button kind="act" type="submit" busy={cordon.isPending}>
                {t('hardware.cordon')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
