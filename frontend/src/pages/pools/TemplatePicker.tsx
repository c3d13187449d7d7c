// Choose devices from the templates: how many of each.
import { useState } from 'react'

import { useTemplates } from '../../api/queries'
import type { DeviceTemplate, DeviceType } from '../../api/types'
import { Button } from '../../components/Button'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { BYTES_PER_GB, GFLOP_PER_TFLOP } from '../../format/units'
import { useT } from '../../i18n'

const ORDER: readonly DeviceType[] = ['GPU', 'CPU', 'NPU', 'FPGA']

export interface TemplatePickerProps {
  chosen: readonly DeviceTemplate[]
  onChange: (chosen: DeviceTemplate[]) => void
}

function Figures({ template }: { template: DeviceTemplate }) {
  const formats = useFormats()
  const peaks = template.spec.peak_gflop_per_s ?? {}
  const precision = ['fp16', 'bf16', 'fp32', 'int8'].find((name) => name in peaks)
  const peak = precision === undefined ? undefined : peaks[precision]
  return (
    <span className="small s3 nowrap">
      {peak !== undefined && `${formats.figure(peak / GFLOP_PER_TFLOP)} TFLOP/s ${precision ?? ''}, `}
      {formats.figure((template.spec.memory_size_bytes ?? 0) / BYTES_PER_GB)} GB
    </span>
  )
}

export function TemplatePicker({ chosen, onChange }: TemplatePickerProps) {
  const t = useT()
  const templates = useTemplates()
  const [typed, setTyped] = useState('')
  if (templates.error && !templates.data) {
    return <LoadFailed error={templates.error} onRetry={() => void templates.refetch()} />
  }
  const wanted = typed.trim().toLowerCase()
  const matches = (templates.data ?? []).filter((template) =>
    `${template.display_name} ${template.vendor} ${template.name}`.toLowerCase().includes(wanted),
  )
  const count = (template: DeviceTemplate) => chosen.filter((one) => one.name === template.name).length
  const remove = (template: DeviceTemplate) => {
    const at = chosen.findLastIndex((one) => one.name === template.name)
    onChange(chosen.filter((_, index) => index !== at))
  }
  return (
    <div className="template-picker">
      <input
        className="in"
        type="search"
        placeholder={t('pool.findTemplate')}
        aria-label={t('pool.findTemplate')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="picks templates">
        {matches.length === 0 && !templates.isPending && <p className="empty-line">{t('pool.noTemplate', { q: typed.trim() })}</p>}
        {ORDER.map((type) => {
          const group = matches.filter((template) => template.device_type === type)
          if (group.length === 0) return null
          return (
            <section key={type} aria-label={t(`pool.type.${type}`)}>
              <h3 className="group-head small">{t(`pool.type.${type}`)}</h3>
              {group.map((template) => {
                const n = count(template)
                return (
                  <div className="template" key={template.name} data-chosen={n > 0 || undefined}>
                    <span className="grow">
                      <span className="nowrap">{template.display_name}</span> <span className="small s3">{template.vendor}</span>
                    </span>
                    <Figures template={template} />
                    <span className="stepper">
                      <Button
                        size="s"
                        aria-label={t('pool.fewer', { name: template.display_name })}
                        disabledReason={n === 0 ? t('pool.noneChosen') : null}
                        onClick={() => remove(template)}
                      >
                        −
                      </Button>
                      <output aria-label={t('pool.howMany', { name: template.display_name })}>{n}</output>
                      <Button
                        size="s"
                        aria-label={t('pool.oneMore', { name: template.display_name })}
                        onClick={() => onChange([...chosen, template])}
                      >
                        +
                      </Button>
                    </span>
                  </div>
                )
              })}
            </section>
          )
        })}
      </div>
    </div>
  )
}
