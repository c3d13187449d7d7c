// Accepts an invitation, signed in or as somebody new; it needs no session.
import { useParams } from '@tanstack/react-router'
import { useState, type SyntheticEvent } from 'react'

import { useSession } from '../../api/queries'
import { useAccept, useInvitation } from '../../api/team'
import { useTitle } from '../../app/title'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'

export function InvitePage() {
  const t = useT()
  const { secret } = useParams({ from: '/invite/$secret' })
  const { data: session } = useSession()
  const invitation = useInvitation(secret)
  const accept = useAccept()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const shown = invitation.data
  const title = shown ? t('invite.title', { team: shown.team }) : ''
  useTitle(title)
  const user = session?.user ?? null
  const join = (event: SyntheticEvent) => {
    event.preventDefault()
    accept.mutate({ secret, name: user === null ? name : '', email: user === null ? email : '' })
  }
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={invitation.isPending}>
      <section className="void">
        {invitation.error && (
          <ErrorBanner
            error={invitation.error}
            actions={
              <a className="btn s" href="/">
                {t('gone.home')}
              </a>
            }
          />
        )}
        {shown && (
          <>
            <h1>{title}</h1>
            <p>{t('invite.text', { by: shown.invited_by ?? t('invite.byTeam'), role: t(`role.${shown.role}`) })}</p>
            {shown.already_member ? (
              <>
                <p>{t('invite.member')}</p>
                <a className="btn act" href="/">
                  {t('gone.home')}
                </a>
              </>
            ) : (
              <form className="stack" onSubmit={join}>
                {user ? (
                  <p>{t('invite.as', { name: user.name })}</p>
                ) : (
                  <>
                    <TextField
                      label={t('invite.name')}
                      hint={t('invite.nameHint')}
                      required
                      maxLength={150}
                      value={name}
                      onChange={setName}
                    />
                    <TextField
                      label={t('team.email')}
                      hint={t('invite.emailHint')}
                      type="email"
                      maxLength={150}
                      value={email}
                      onChange={setEmail}
                    />
                    <p className="small s3">{t('invite.keep')}</p>
                  </>
                )}
                {accept.error && <ErrorBanner error={accept.error} />}
                <Button kind="act" type="submit" busy={accept.isPending}>
                  {t('invite.join')}
                </Button>
              </form>
            )}
          </>
        )}
      </section>
    </main>
  )
}
