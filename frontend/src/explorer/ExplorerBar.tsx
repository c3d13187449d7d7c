/** What the explorer puts into the application bar: where one is, undo, keys, link. */
import { BarContent } from '../app/bar'
import { toast } from '../components/announce'
import { Button } from '../components/Button'
import { usePoolName } from '../format/poolName'
import { useT } from '../i18n'
import { Downloads } from './plan/Downloads'
import { useExplorer } from './state/context'

export function ExplorerBar({ onHelp }: { onHelp: () => void }) {
  const t = useT()
  const poolName = usePoolName()
  const { search, model, undo } = useExplorer()
  const plan = model.plans[model.a]
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href)
      toast(t('explorer.copied'))
    } catch {
      toast(t('explorer.copy_failed'))
    }
  }
  const crumbs = [
    { label: t('shell.home'), to: '/' },
    { label: [search.model.name, search.binding?.name].filter(Boolean).join(' · '), to: `/models/${search.model.id}` },
    ...(search.pool.id ? [{ label: poolName(search.pool.name, search.pool.is_sample), to: `/pools/${search.pool.id}` }] : []),
    { label: t('explorer.title', { number: search.number }) },
  ]
  return (
    <BarContent
      crumbs={crumbs}
      actions={
        <>
          <Button kind="quiet" icon="undo" className="hide-s" aria-label={t('explorer.undo')} title={t('explorer.undo')} onClick={undo} />
          <Button kind="quiet" icon="link" className="hide-s" aria-label={t('explorer.copy_link')} title={t('explorer.copy_link')} onClick={() => void copy()} />
          <Button kind="quiet" className="hide-s" aria-label={t('explorer.keys')} title={t('explorer.keys')} onClick={onHelp}>
            <kbd>?</kbd>
          </Button>
          {plan && <Downloads plan={plan} />}
        </>
      }
    />
  )
}
