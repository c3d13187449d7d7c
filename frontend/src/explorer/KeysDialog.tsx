/** The list of keys, and the switch that turns single keys off. */
import { Dialog } from '../components/Dialog'
import { CheckField } from '../components/Field'
import { useT } from '../i18n'
import { setKeysEnabled, useKeysEnabled } from './state/keys'

const ROWS = [
  ['[ ]', 'explorer.key.brackets'],
  ['a', 'explorer.key.a'],
  ['b', 'explorer.key.b'],
  ['x', 'explorer.key.x'],
  ['1 2 3 4', 'explorer.key.tabs'],
  ['v', 'explorer.key.views'],
  ['/', 'explorer.key.find'],
  ['f', 'explorer.key.fit'],
  ['p', 'explorer.key.pin'],
  ['t', 'explorer.key.try'],
  ['⇧ ← →', 'explorer.key.mark'],
  ['⇧ ← ↑ → ↓', 'explorer.key.turn'],
  ['+ -', 'explorer.key.zoom'],
  ['z', 'explorer.key.undo'],
  ['Esc', 'explorer.key.escape'],
  ['?', 'explorer.key.help'],
] as const

export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useT()
  const enabled = useKeysEnabled()
  return (
    <Dialog open={open} onClose={onClose} title={t('explorer.keys.title')}>
      <div className="dbody">
        <CheckField label={t('explorer.keys.toggle')} checked={enabled} onChange={setKeysEnabled} />
        <table className="xp-keys">
          <thead>
            <tr>
              <th>{t('explorer.keys.key')}</th>
              <th>{t('explorer.keys.what')}</th>
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([keys, text]) => (
              <tr key={keys}>
                <td className="nowrap">
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </td>
                <td>{t(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  )
}
