// Pages for an address that leads nowhere, for a page that broke, and for a role that may not see it.
import { Link, type ErrorComponentProps } from '@tanstack/react-router'

import { ApiError, errorText } from '../api/errors'
import { useSession } from '../api/queries'
import { PartMissing } from '../app/parts'
import { useTitle } from '../app/title'
import { Button, buttonClass } from '../components/Button'
import { Empty, LoadFailed } from '../components/states'
import { useLang, useT } from '../i18n'

function HomeLink() {
  const t = useT()
  return (
    <Link className={buttonClass('act')} to="/">
      {t('gone.home')}
    </Link>
  )
}

export function NotFound() {
  const t = useT()
  useTitle(t('gone.title'))
  return (
    <main className="page" id="main" tabIndex={-1}>
      <Empty title={t('gone.title')} actions={<HomeLink />}>
        <p>{t('gone.text')}</p>
      </Empty>
    </main>
  )
}

function Forbidden() {
  const t = useT()
  const { data: session } = useSession()
  useTitle(t('forbidden.title'))
  return (
    <main className="page" id="main" tabIndex={-1}>
      <Empty title={t('forbidden.title')} actions={<HomeLink />}>
        <p>{t('forbidden.text', { name: session?.user?.name ?? '–' })}</p>
      </Empty>
    </main>
  )
}

/** A page whose own object could not be loaded: 404 and 403 get their pages, the rest a banner with a retry. */
export function PageFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (error instanceof ApiError && error.status === 403) return <Forbidden />
  return (
    <main className="page" id="main" tabIndex={-1}>
      <LoadFailed error={error} onRetry={onRetry} />
    </main>
  )
}

/** A page that broke, or that could not be fetched. */
export function Crashed({ error }: ErrorComponentProps) {
  const t = useT()
  const lang = useLang()
  const what = error instanceof PartMissing ? 'part' : 'crash'
  useTitle(t(`${what}.title`))
  const detail = error instanceof Error && !(error instanceof ApiError) ? error.message : errorText(error, lang).title
  return (
    <main className="page" id="main" tabIndex={-1}>
      <Empty
        title={t(`${what}.title`)}
        actions={
          <>
            <Button kind="act" onClick={() => window.location.reload()}>
              {t('crash.reload')}
            </Button>
            <a className={buttonClass()} href="/">
              {t('gone.home')}
            </a>
          </>
        }
        foot={<span className="mono">{detail}</span>}
      >
        <p>{t(`${what}.text`)}</p>
      </Empty>
    </main>
  )
}
