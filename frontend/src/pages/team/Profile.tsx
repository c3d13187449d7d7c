// What others call the reader, and a sign-in link for another browser.
import { useState } from 'react'

import { useChangeProfile, useProfile, useSignInLink } from '../../api/team'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { Once } from './Once'
import { Sheet } from './Sheet'

function ProfileForm({ name: was, email: wasEmail }: { name: string; email: string }) {
  const t = useT()
  const change = useChangeProfile()
  const [name, setName] = useState(was)
  const [email, setEmail] = useState(wasEmail)
  const changed = name !== was || email !== wasEmail
  return (
    <>
      <TextField label={t('team.name')} maxLength={150} value={name} onChange={setName} />
      <TextField
        label={t('team.email')}
        hint={t('team.profile.emailHint')}
        type="email"
        maxLength={150}
        value={email}
        onChange={setEmail}
      />
      {change.error && <ErrorBanner error={change.error} />}
      {changed && (
        <Button
          busy={change.isPending}
          onClick={() => change.mutate({ name, email }, { onSuccess: () => toast(t('common.saved')) })}
        >
          {t('common.save')}
        </Button>
      )}
    </>
  )
}

export function Profile() {
  const t = useT()
  const profile = useProfile()
  const link = useSignInLink()
  return (
    <Sheet id="profile" title={t('team.profile')}>
      <div className="body stack">
        {profile.data && <ProfileForm key={JSON.stringify(profile.data)} {...profile.data} />}
        {link.data ? (
          <Once label={t('team.profile.link')} value={`${window.location.origin}${link.data.path}`} />
        ) : (
          <Button size="s" busy={link.isPending} onClick={() => link.mutate()}>
            {t('team.profile.link')}
          </Button>
        )}
        <p className="small s3">{t('team.profile.linkText')}</p>
        {link.error && <ErrorBanner error={link.error} />}
      </div>
    </Sheet>
  )
}
