// Whether a calibration can be trusted, as one chip.
import type { Calibration } from '../../api/calibrations'
import { isActive } from '../../api/hardware'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

/** `estimated`: without a calibration, the device has figures that no data sheet has. */
export function CostChip({ calibration, estimated = false }: { calibration: Calibration | undefined; estimated?: boolean }) {
  const t = useT()
  const formats = useFormats()
  if (!calibration) return estimated ? <Chip tone="warn">{t('cal.estimated')}</Chip> : <Chip>{t('cal.none')}</Chip>
  if (calibration.measured_at === null) {
    return isActive(calibration) ? <Chip tone="info">{t('cal.measuring')}</Chip> : <Chip>{t('cal.none')}</Chip>
  }
  if (calibration.freshness === 'stale') return <Chip tone="warn">{t('cal.stale')}</Chip>
  return <Chip tone="ok">{t('cal.calibrated', { when: formats.dateTime(calibration.measured_at) })}</Chip>
}
