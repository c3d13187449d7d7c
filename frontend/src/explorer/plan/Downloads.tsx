/** What can be taken out: the plan in several formats, the whole front, and pictures of what is on the page. */
import { Link } from '@tanstack/react-router'

import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { pictureOf, pngOf, saveBlob, saveText } from '../../drawing/save'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'

/** Panes that can be had as pictures: the part of the page and its name in the file. */
const PANES = [
  { selector: '.xp-views', pane: 'front' },
  { selector: '.xp-front > .xp-parallel', pane: 'parallel' },
  { selector: '#xp-work-body .xp-pane, #xp-work-body .xp-compare', pane: 'work' },
] as const

export function Downloads({ plan }: { plan: Plan }) {
  const t = useT()
  const { search, live } = useExplorer()
  const base = `/api/searches/${search.id}`
  const own = `${base}/plans/${plan.number}`
  // Numbers move while a search runs; the hash says which plan is meant.
  const query = `?hash=${plan.hash}`
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
      {link(`${own}/plan.json${query}`, t('explorer.download.plan'))}
      {link(`${own}/operators.csv${query}`, t('explorer.download.operators'))}
      {link(`${own}/trace.json${query}`, t('explorer.download.trace'))}
      {link(`${own}/report.html${query}`, t('explorer.download.report'))}
      {link(`${base}/front.csv`, t('explorer.download.front'))}
      <MenuLine />
      <MenuItem
        asChild={
          <Link to="/searches/$id/plans/$number/download" params={{ id: search.id, number: String(plan.number) }} search={{ hash: plan.hash }}>
            {t('download.open')}
          </Link>
        }
      />
      <MenuLine />
      <div className="say">{t('explorer.download.pictures')}</div>
      <Pictures plan={plan} />
      {live && (
        <>
          <MenuLine />
          <div className="say">{t('explorer.download.running')}</div>
        </>
      )}
    </Menu>
  )
}

/** Made when the menu opens: what is on the page then can be had. */
function Pictures({ plan }: { plan: Plan }) {
  const t = useT()
  const tokens = useTokens()
  const { search, state } = useExplorer()
  const picture = async (selector: string, pane: string, format: 'svg' | 'png') => {
    const box = document.querySelector<HTMLElement>(selector)
    const name = `${search.model.name}-search${search.number}-plan${plan.number}-${pane === 'work' ? state.tab : pane}`.replace(/[^\w.-]+/g, '-')
    try {
      if (!box) throw new Error(selector)
      const svg = await pictureOf(box, tokens.value('bg'), name)
      if (format === 'svg') saveText(svg, `${name}.svg`, 'image/svg+xml')
      else saveBlob(await pngOf(svg), `${name}.png`)
    } catch {
      toast(t('explorer.download.picture_failed'))
    }
  }
  return PANES.filter(({ selector }) => document.querySelector(selector) !== null).map(({ selector, pane }) => {
    const what = t(pane === 'work' ? `explorer.tab.${state.tab}` : `explorer.download.${pane}_view`)
    return (['png', 'svg'] as const).map((format) => (
      <MenuItem key={`${pane} ${format}`} onSelect={() => void picture(selector, pane, format)}>
        {t('explorer.download.as', { what, format: format.toUpperCase() })}
      </MenuItem>
    ))
  })
}
