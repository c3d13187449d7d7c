// What someone sees without a session: how to get a sign-in link.
import { useTitle } from '../app/title'
import { Button } from '../components/Button'
import { Empty } from '../components/states'
import { useT } from '../i18n'

export function SignInNeeded({ onRetry }: { onRetry: () => void }) {
  const t = useT()
  useTitle(t('signin.title'))
  return (
    <main className="page" id="main" tabIndex={-1}>
      <Empty
        title={t('signin.title')}
        actions={
          <Button kind="act" onClick={onRetry}>
            {t('signin.retry')}
          </Button>
        }
      >
        <p>{t('signin.text')}</p>
        <pre className="command">./run signin_url</pre>
        <p>{t('signin.after')}</p>
      </Empty>
    </main>
  )
}
