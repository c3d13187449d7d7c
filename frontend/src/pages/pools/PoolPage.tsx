// A pool: its devices, links and options, all editable; the server checks while one types.
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { useCreatePool, useSavePool } from '../../api/mutations'
import { useSession } from '../../api/queries'
import type { Pool } from '../../api/types'
import { canPlan } from '../../app/permissions'
import { toast } from '../../components/announce'
import { Banner, ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Menu, MenuItem, MenuLine } from '../../components/Menu'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { AddDeviceDialog } from './AddDeviceDialog'
import { CostsSection } from './CostsSection'
import { DeletePoolDialog } from './DeletePoolDialog'
import { DevicesTable, marksOf } from './DevicesTable'
import { addDevices } from './draft'
import { DraftChanges } from './DraftChanges'
import { LinksSection } from './LinksSection'
import { NextSteps } from './NextSteps'
import { OptionsSection } from './OptionsSection'
import { useDraft } from './useDraft'
import { VersionsSection } from './VersionsSection'

function useDuplicate(pool: Pool) {
  const t = useT()
  const navigate = useNavigate()
  const create = useCreatePool()
  const duplicate = () =>
    create.mutate(
      { ...pool.spec, name: t('pool.copyName', { name: pool.name }) },
      { onSuccess: (made) => void navigate({ to: '/pools/$id', params: { id: made.id } }) },
    )
  return { duplicate, busy: create.isPending, error: create.error }
}

export function PoolPage({ pool }: { pool: Pool }) {
  const t = useT()
  const poolName = usePoolName()
  const navigate = useNavigate()
  const { data: session } = useSession()
  const draft = useDraft(pool)
  const save = useSavePool(pool.id)
  const copy = useDuplicate(pool)
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const may = canPlan(session)
  const readOnly = !may || pool.is_sample
  const leave = useBlocker({ shouldBlockFn: () => draft.dirty, withResolver: true, enableBeforeUnload: () => draft.dirty })
  const marks = marksOf(draft.spec)
  const whyNotSave = draft.unreadable
    ? t('pool.fixNumbers')
    : draft.errors.length > 0
      ? t('pool.fixErrors', { n: draft.errors.length })
      : !draft.dirty
        ? t('pool.unchanged')
        : null
  const submit = () => save.mutate(draft.spec, { onSuccess: () => toast(t('common.saved')) })

  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="pagehead">
        <div>
          <h1>{poolName(draft.spec.name || pool.name, pool.is_sample)}</h1>
          <p className="sub">
            {[
              t('pool.nDevices', { n: draft.spec.devices.length }),
              t('pool.version', { n: pool.version }),
              pool.is_sample ? t('pool.sample') : null,
            ]
              .filter((part) => part !== null)
              .join(' · ')}
            {' · '}
            <span className="mono" title={pool.pool_hash}>
              sha256 {pool.pool_hash.slice(0, 12)}
            </span>
          </p>
        </div>
        <div className="r">
          <Menu trigger={<Button icon="more" aria-label={t('pools.actions', { name: poolName(pool.name, pool.is_sample) })} />}>
            <MenuItem asChild={<a href={`/api/pools/${pool.id}/toml/`}>{t('pool.export')}</a>} />
            {may && <MenuItem onSelect={copy.duplicate}>{t('common.duplicate')}</MenuItem>}
            {may && (
              <>
                <MenuLine />
                <MenuItem bad onSelect={() => setDeleting(true)}>
                  {t('pool.delete')}
                </MenuItem>
              </>
            )}
          </Menu>
          {readOnly ? (
            may && (
              <Button kind="act" icon="copy" busy={copy.busy} onClick={copy.duplicate}>
                {t('pool.duplicateToEdit')}
              </Button>
            )
          ) : (
            <>
              <Button icon="plus" onClick={() => setAdding(true)}>
                {t('pool.addDevice')}
              </Button>
              {draft.dirty && <Button onClick={draft.reset}>{t('pool.revert')}</Button>}
              <Button kind="act" busy={save.isPending} disabledReason={whyNotSave} onClick={submit}>
                {t('common.save')}
              </Button>
            </>
          )}
        </div>
      </div>
      <div className="stack notices">
        {pool.is_sample && may && <Banner tone="info" title={t('pool.sample.title')}>{t('pool.sample.text')}</Banner>}
        {save.error && <ErrorBanner error={save.error} />}
        {copy.error && <ErrorBanner error={copy.error} />}
        {draft.errors.length > 0 && (
          <Banner tone="bad" role="status" title={t('pool.nWrong', { n: draft.errors.length })}>
            {t('pool.nWrong.text')}
          </Banner>
        )}
      </div>
      <NextSteps pool={pool} may={may} />
      {draft.dirty && !draft.unreadable && draft.errors.length === 0 && <DraftChanges pool={pool} spec={draft.settled} />}
      <DevicesTable draft={draft} devices={marks} readOnly={readOnly} />
      <CostsSection pool={pool} may={may} dirty={draft.dirty} />
      <LinksSection draft={draft} devices={marks} readOnly={readOnly} saved={pool} />
      <OptionsSection draft={draft} readOnly={readOnly} isSample={pool.is_sample} />
      <VersionsSection pool={pool} readOnly={readOnly} onRestore={draft.change} />
      {adding && (
        <AddDeviceDialog
          onClose={() => setAdding(false)}
          onAdd={(templates) => {
            draft.change(addDevices(draft.spec, templates))
            setAdding(false)
          }}
        />
      )}
      <DeletePoolDialog
        pool={deleting ? pool : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/pools', ignoreBlocker: true })}
      />
      <ConfirmDialog
        open={leave.status === 'blocked'}
        title={t('pool.leave.ask')}
        action={t('pool.leave.go')}
        busy={false}
        error={null}
        onConfirm={() => leave.proceed?.()}
        onClose={() => leave.reset?.()}
      >
        {t('pool.leave.text')}
      </ConfirmDialog>
    </main>
  )
}
