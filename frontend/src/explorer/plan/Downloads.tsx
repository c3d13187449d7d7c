/** What can be taken out: the plan as JSON, its operators as CSV, the whole front as CSV. */
import { Button } from '../../components/Button'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'

export function Downloads({ plan }: { plan: Plan }) {
  const t = useT()
  const { search, live } = useExplorer()
  const base = `/api/searches/${search.id}`
  const link = (href: string, text: string) => (
    <MenuItem
      asChild={
        <a href={href} download>
          {text}
        </a>
      }
    />
  )
  return (
    <Menu
      trigger={
        <Button kind="act" icon="down">
          {t('explorer.download')}
        </Button>
      }
    >
      {link(`${base}/plans/${plan.number}/plan.json`, t('explorer.download.plan'))}
      {link(`${base}/plans/${plan.number}/operators.csv`, t('explorer.download.operators'))}
      {link(`${base}/front.csv`, t('explorer.download.front'))}
      {live && (
        <>
          <MenuLine />
          <div className="say">{t('explorer.download.running')}</div>
        </>
      )}
    </Menu>
  )
}
