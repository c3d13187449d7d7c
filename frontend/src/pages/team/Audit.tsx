// The audit log: who did what, newest first.
import { useState } from 'react'

import { AUDIT_PAGE, useAudit } from '../../api/team'
import { Button } from '../../components/Button'
import { CheckField, SelectField } from '../../components/Field'
import { Chip } from '../../components/marks'
import { BoneRows, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import type { Lang } from '../../i18n/format'
import { Sheet } from './Sheet'

/** What acts are about: the beginnings of their codes. */
const KINDS = [
  'plan', 'review', 'thread', 'comment', 'search', 'front', 'model', 'pool', 'calibration', 'profile', 'precision', 'operator_map',
  'trial', 'export', 'training', 'job', 'host', 'device', 'member', 'invite', 'team', 'token', 'webhook', 'session',
] as const

/** Of a long hash the beginning, as it is shown elsewhere. */
const HASH = /^[0-9a-f]{64}$/

type Translate = ReturnType<typeof useT>

function factText(name: string, value: unknown, t: Translate, lang: Lang): string {
  if (typeof value === 'boolean') return t(value ? 'team.audit.yes' : 'team.audit.no')
  if (Array.isArray(value)) return value.map((one) => factText(name, one, t, lang)).join(lang === 'zh' ? '、' : ', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (HASH.test(value)) return value.slice(0, 12)
  const family = { role: 'role', scope: 'team.token.scope', decision: 'team.decision', events: 'team.event' }[name]
  return family ? translateCode(family, value, {}, value, lang) : value
}

function detailText(details: Record<string, unknown>, t: Translate, lang: Lang): string {
  return Object.entries(details)
    .map(([name, value]) => `${translateCode('team.fact', name, {}, name, lang)}${lang === 'zh' ? '：' : ': '}${factText(name, value, t, lang)}`)
    .join(lang === 'zh' ? '，' : ', ')
}

export function Audit() {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const [action, setAction] = useState('')
  const [denied, setDenied] = useState(false)
  const [offset, setOffset] = useState(0)
  const audit = useAudit(action, denied, offset)
  const rows = audit.data?.results
  const count = audit.data?.count ?? 0
  const first = (change: () => void) => {
    change()
    setOffset(0)
  }
  return (
    <Sheet id="audit" title={t('team.audit')}>
      <div className="row wrap audit-filter">
        <SelectField label={t('team.audit.filter')} value={action} onChange={(value) => first(() => setAction(value))}>
          <option value="">{t('team.audit.all')}</option>
          {KINDS.map((kind) => (
            <option key={kind} value={`${kind}.`}>
              {t(`team.kind.${kind}`)}
            </option>
          ))}
        </SelectField>
        <CheckField
          label={t('team.audit.denied')}
          checked={denied}
          onChange={(value) => first(() => setDenied(value))}
        />
      </div>
      {audit.error && <LoadFailed error={audit.error} onRetry={() => void audit.refetch()} />}
      {rows?.length === 0 ? (
        <p className="small s3 side-text">{t('team.audit.none')}</p>
      ) : (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t('team.audit')}>
          <table>
            <thead>
              <tr>
                <th>{t('team.audit.when')}</th>
                <th>{t('team.audit.who')}</th>
                <th>{t('team.audit.what')}</th>
                <th>{t('team.audit.details')}</th>
              </tr>
            </thead>
            <tbody>
              {rows ? (
                rows.map((one) => (
                  <tr key={one.id}>
                    <td className="nowrap s3">{formats.dateTime(one.at)}</td>
                    <td className="nowrap">{one.user?.name ?? '–'}</td>
                    <td className="nowrap">
                      <span title={one.action}>{translateCode('team.act', one.action, {}, one.action, lang)}</span>{' '}
                      {one.denied && <Chip tone="bad">{t('team.audit.refused')}</Chip>}
                    </td>
                    <td className="audit-details" title={detailText(one.details, t, lang)}>
                      <span className="cut">{detailText(one.details, t, lang)}</span>
                    </td>
                  </tr>
                ))
              ) : (
                <BoneRows rows={5} columns={4} />
              )}
            </tbody>
          </table>
        </div>
      )}
      {count > AUDIT_PAGE && (
        <div className="row end side-text small">
          <span className="s3">
            {t('team.audit.page', { from: offset + 1, to: Math.min(offset + AUDIT_PAGE, count), n: count })}
          </span>
          <Button size="s" disabledReason={offset === 0 ? '–' : null} onClick={() => setOffset(offset - AUDIT_PAGE)}>
            {t('team.audit.newer')}
          </Button>
          <Button
            size="s"
            disabledReason={offset + AUDIT_PAGE >= count ? '–' : null}
            onClick={() => setOffset(offset + AUDIT_PAGE)}
          >
            {t('team.audit.older')}
          </Button>
        </div>
      )}
    </Sheet>
  )
}
