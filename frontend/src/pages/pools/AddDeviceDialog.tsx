// Adds devices from templates to a pool that is being edited.
import { useState } from 'react'

import type { DeviceTemplate } from '../../api/types'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { useT } from '../../i18n'
import { TemplatePicker } from './TemplatePicker'

export interface AddDeviceDialogProps {
  onAdd: (templates: DeviceTemplate[]) => void
  onClose: () => void
}

export function AddDeviceDialog({ onAdd, onClose }: AddDeviceDialogProps) {
  const t = useT()
  const [chosen, setChosen] = useState<DeviceTemplate[]>([])
  return (
    <Dialog open onClose={onClose} title={t('pool.addDevice')}>
      <div className="dbody">
        <TemplatePicker chosen={chosen} onChange={setChosen} />
      </div>
      <div className="dfoot">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button kind="act" disabledReason={chosen.length === 0 ? t('pool.chooseOne') : null} onClick={() => onAdd(chosen)}>
          {t('pool.addN', { n: chosen.length })}
        </Button>
      </div>
    </Dialog>
  )
}
