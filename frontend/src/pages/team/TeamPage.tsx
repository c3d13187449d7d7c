// The team: who is in it, what waits for whom, rules, invitations, tokens, webhooks, the audit log.
import { useSession } from '../../api/queries'
import { useTeam } from '../../api/team'
import { useTitle } from '../../app/title'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { Audit } from './Audit'
import { Invites } from './Invites'
import { Members } from './Members'
import { Profile } from './Profile'
import { Rules } from './Rules'
import { Tokens } from './Tokens'
import { Waiting } from './Waiting'
import { Webhooks } from './Webhooks'

export function TeamPage() {
  const t = useT()
  const { data: session } = useSession()
  const team = useTeam()
  useTitle(t('team.title'))
  const manages = session?.permissions.includes('manage') ?? false
  return (
    <main className="page team" id="main" tabIndex={-1}>
      <div className="pagehead">
        <div>
          <h1>{team.data?.name ?? session?.team?.name ?? t('team.title')}</h1>
          <p className="sub read">{t('team.roles')}</p>
        </div>
      </div>
      {team.error && <LoadFailed error={team.error} onRetry={() => void team.refetch()} />}
      <div className="cols team-cols">
        <div>
          <Members manages={manages} />
          {manages && <Invites />}
          <Tokens />
          {manages && <Webhooks />}
          {manages && <Audit />}
        </div>
        <aside>
          <Waiting />
          {team.data && <Rules key={JSON.stringify(team.data)} team={team.data} manages={manages} />}
          <Profile />
        </aside>
      </div>
    </main>
  )
}
