// The team's name and its rules for approvals; owners change them.
import { useState } from 'react'

import { useChangeTeam, type Team } from '../../api/team'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { CheckField, TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { Sheet } from './Sheet'

export function Rules({ team, manages }: { team: Team; manages: boolean }) {
  const t = useT()
  const change = useChangeTeam()
  const [name, setName] = useState(team.name)
  const [needed, setNeeded] = useState(String(team.approvals_needed))
  const [self, setSelf] = useState(team.self_approval)
  const changed = name !== team.name || needed !== String(team.approvals_needed) || self !== team.self_approval
  const save = () =>
    change.mutate(
      { name, approvals_needed: Number(needed), self_approval: self },
      { onSuccess: () => toast(t('common.saved')) },
    )
  return (
    <Sheet id="rules" title={t('team.rules')}>
      <div className="body stack">
        {manages && <TextField label={t('team.rules.name')} maxLength={150} value={name} onChange={setName} />}
        <TextField
          label={t('team.rules.needed')}
          numeric
          readOnly={!manages}
          value={needed}
          onChange={setNeeded}
        />
        <CheckField
          label={t('team.rules.self')}
          hint={t('team.rules.selfHint')}
          checked={self}
          disabled={!manages}
          onChange={setSelf}
        />
        {change.error && <ErrorBanner error={change.error} />}
        {manages && changed && (
          <Button busy={change.isPending} onClick={save}>
            {t('common.save')}
          </Button>
        )}
      </div>
    </Sheet>
  )
}
