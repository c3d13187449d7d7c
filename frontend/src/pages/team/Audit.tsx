// The audit log: who did what, newest first.
import { useState } from 'react'

import { AUDIT_PAGE, useAudit } from '../../api/team'
import { Button } from '../../components/Button'
import { CheckField, TextField } from '../../components/Field'
import { Chip } from '../../components/marks'
import { BoneRows, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Sheet } from './Sheet'

function detailText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

export function Audit() {
  const t = useT()
  const formats = useFormats()
  const [action, setAction] = useState('')
  const [denied, setDenied] = useState(false)
  const [offset, setOffset] = useState(0)
  const audit = useAudit(action.trim(), denied, offset)
  const rows = audit.data?.results
  const count = audit.data?.count ?? 0
  const first = (change: () => void) => {
    change()
    setOffset(0)
  }
  return (
    <Sheet id="audit" title={t('team.audit')}>
      <div className="row wrap audit-filter">
        <TextField
          label={t('team.audit.filter')}
          placeholder="review."
          maxLength={60}
          value={action}
          onChange={(value) => first(() => setAction(value))}
        />
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
                      <span className="mono">{one.action}</span>{' '}
                      {one.denied && <Chip tone="bad">{t('team.audit.refused')}</Chip>}
                    </td>
                    <td className="audit-details" title={detailText(one.details)}>
                      <span className="cut">{detailText(one.details)}</span>
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
