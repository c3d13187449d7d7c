// What a review amounts to, as a chip: shape, word and tint.
import type { Standing } from '../../api/reviews'
import { Chip, type Tone } from '../../components/marks'
import { useT } from '../../i18n'

const TONES: Record<Standing, Tone> = {
  draft: 'draft',
  in_review: 'info',
  approved: 'ok',
  changes_requested: 'bad',
  stale: 'warn',
}

export function StandingChip({ standing }: { standing: Standing }) {
  const t = useT()
  return <Chip tone={TONES[standing]}>{t(`review.standing.${standing}`)}</Chip>
}
