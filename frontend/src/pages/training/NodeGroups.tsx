// Groups of like nodes, a row each.
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { changedGroups, type Level, type NodeGroup } from './draft'

export interface NodeGroupsProps {
  groups: readonly NodeGroup[]
  levels: readonly Level[]
  onChange: (groups: NodeGroup[]) => void
}

const COLUMNS = [
  ['gpu', 'training.gpu'],
  ['tflops', 'training.tflops'],
  ['memory', 'training.memory'],
  ['fast', 'training.fast'],
  ['gpus', 'training.perNode'],
  ['nodes', 'training.nodes'],
] as const

export function NodeGroups({ groups, levels, onChange }: NodeGroupsProps) {
  const t = useT()
  const set = (at: number, some: Partial<NodeGroup>) => onChange(changedGroups(groups, at, some))
  const add = () => {
    const last = groups.at(-1)
    if (last) onChange([...groups, { ...last, names: [], places: [...last.places] }])
  }
  return (
    <fieldset className="group">
      <legend>{t('training.groups')}</legend>
      <div className="scroll-x">
        <table className="tr-groups">
          <thead>
            <tr>
              {COLUMNS.map(([field, key]) => (
                <th key={field}>{t(key)}</th>
              ))}
              {levels.map((level, at) => (
                <th key={at}>{t('training.place', { level: level.name })}</th>
              ))}
              <th />
            </tr>
          </thead>
          <tbody>
            {groups.map((one, at) => (
              <tr key={at}>
                {COLUMNS.map(([field, key]) => (
                  <td key={field}>
                    <input
                      className={field === 'gpu' ? 'in m' : 'in m n'}
                      inputMode={field === 'gpu' ? undefined : 'decimal'}
                      autoComplete="off"
                      aria-label={`${t('training.group', { n: at + 1 })}: ${t(key)}`}
                      value={one[field]}
                      onChange={(event) => set(at, { [field]: event.target.value })}
                    />
                  </td>
                ))}
                {levels.map((level, place) => (
                  <td key={place}>
                    <input
                      className="in m"
                      autoComplete="off"
                      aria-label={`${t('training.group', { n: at + 1 })}: ${t('training.place', { level: level.name })}`}
                      value={one.places[place] ?? ''}
                      onChange={(event) =>
                        set(at, { places: levels.map((_, n) => (n === place ? event.target.value : (one.places[n] ?? ''))) })
                      }
                    />
                  </td>
                ))}
                <td className="num">
                  {groups.length > 1 && (
                    <Button
                      kind="quiet"
                      size="s"
                      icon="trash"
                      aria-label={t('training.removeGroup', { n: at + 1 })}
                      onClick={() => onChange(groups.filter((_, place) => place !== at))}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="row" style={{ marginTop: 'var(--sp-3)' }}>
        <Button size="s" icon="plus" onClick={add}>
          {t('training.addGroup')}
        </Button>
      </div>
    </fieldset>
  )
}
