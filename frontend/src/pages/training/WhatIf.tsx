// What if a GPU or a node is lost: plans again, as a plan of its own.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { useSession } from '../../api/queries'
import { useLose, type TrainingPlan } from '../../api/training'
import { canPlan } from '../../app/permissions'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { SelectField } from '../../components/Field'
import { useT } from '../../i18n'

export function WhatIf({ plan }: { plan: TrainingPlan }) {
  const t = useT()
  const navigate = useNavigate()
  const lose = useLose(plan.id)
  const { data: session } = useSession()
  const nodes = plan.request.node as { name: string; gpu: string; gpus: number }[]
  const held: { gpu: number; node: string; type: string }[] = []
  for (const node of nodes) {
    for (let n = 0; n < node.gpus; n += 1) held.push({ gpu: held.length, node: node.name, type: node.gpu })
  }
  const left = held.filter((one) => !plan.lost.includes(one.gpu))
  const alive = nodes.filter((node) => left.some((one) => one.node === node.name))
  const [gpu, setGpu] = useState(String(left.at(-1)?.gpu ?? ''))
  const [node, setNode] = useState(alive.at(-1)?.name ?? '')
  const why = canPlan(session) ? null : t('forbidden.viewer')
  const act = (body: { gpus?: number[]; nodes?: string[] }) =>
    lose.mutate(body, { onSuccess: (after) => void navigate({ to: '/training/$id', params: { id: after.id } }) })
  return (
    <section className="sheet mt" aria-labelledby="training-what-if">
      <div className="head">
        <h2 id="training-what-if">{t('training.whatIf')}</h2>
      </div>
      <div className="body stack">
        <p className="read s2">{t('training.whatIf.text')}</p>
        <div className="tr-lose">
          <div>
            <SelectField label={t('training.loseGpu')} value={gpu} onChange={setGpu}>
              {left.map((one) => (
                <option key={one.gpu} value={one.gpu}>
                  {one.gpu} · {one.type} · {one.node}
                </option>
              ))}
            </SelectField>
            <Button busy={lose.isPending} disabledReason={why} onClick={() => act({ gpus: [Number(gpu)] })}>
              {t('training.loseGpu.act')}
            </Button>
          </div>
          <div>
            <SelectField label={t('training.loseNode')} value={node} onChange={setNode}>
              {alive.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name} · {one.gpus} × {one.gpu}
                </option>
              ))}
            </SelectField>
            <Button busy={lose.isPending} disabledReason={why} onClick={() => act({ nodes: [node] })}>
              {t('training.loseNode.act')}
            </Button>
          </div>
        </div>
        {lose.error && <ErrorBanner error={lose.error} />}
      </div>
    </section>
  )
}
