// The right end of the bar: language, theme and account.
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { api, unwrap } from '../api/client'
import { useSession } from '../api/queries'
import { useChooseTeam } from '../api/team'
import { toast } from '../components/announce'
import { Button } from '../components/Button'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/Menu'
import { prepareLang, switchLang, useLang, useT } from '../i18n'
import { setThemeChoice, useThemeChoice, type ThemeChoice } from '../theme/theme'

const CHOICES: readonly ThemeChoice[] = ['light', 'dark', 'system']

function AccountMenu() {
  const t = useT()
  const client = useQueryClient()
  const { data: session } = useSession()
  const choose = useChooseTeam()
  if (!session?.user || !session.team) return null
  const signOut = async () => {
    await unwrap(api.POST('/api/session/sign-out/'))
    client.clear()
    window.location.assign('/')
  }
  return (
    <Menu
      trigger={
        <button type="button" className="who" aria-label={t('shell.account', { name: session.user.name })}>
          {session.user.initials}
        </button>
      }
    >
      <div className="say">
        <div className="strong" style={{ color: 'var(--ink)' }}>
          {session.user.name}
        </div>
        {session.team.name}, {t(`role.${session.team.role}`)}
      </div>
      <MenuLine />
      {session.teams.length > 1 && (
        <MenuChoice
          label={t('team.switch')}
          value={session.team.id}
          options={session.teams.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => choose.mutate(id)}
        />
      )}
      <MenuItem asChild={<Link to="/team">{t('team.title')}</Link>} />
      <MenuItem asChild={<a href="/api/docs/">{t('shell.apiDocs')}</a>} />
      <MenuItem onSelect={() => void signOut()}>{t('shell.signOut')}</MenuItem>
      <MenuLine />
      <div className="say">{t('shell.version', { version: session.version })}</div>
    </Menu>
  )
}

export function BarTools() {
  const t = useT()
  const lang = useLang()
  const theme = useThemeChoice()
  const other = lang === 'en' ? 'zh' : 'en'
  return (
    <>
      <button
        type="button"
        className="btn quiet"
        style={{ padding: '0 6px' }}
        lang={lang === 'en' ? 'zh-CN' : 'en'}
        aria-label={t('shell.language')}
        onPointerEnter={() => prepareLang(other)}
        onFocus={() => prepareLang(other)}
        onClick={() => void switchLang(other).catch(() => toast(t('shell.languageFailed')))}
      >
        {t('shell.otherLanguage')}
      </button>
      <Menu trigger={<Button kind="quiet" icon="theme" aria-label={t('shell.theme')} />}>
        <MenuChoice
          label={t('shell.theme')}
          value={theme}
          options={CHOICES.map((value) => ({ value, label: t(`shell.theme.${value}`) }))}
          onChange={setThemeChoice}
        />
      </Menu>
      <AccountMenu />
    </>
  )
}
