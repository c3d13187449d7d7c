/** Texts of the proof of the lower bound. */
import type { Catalogue } from '../../i18n/format'

export const proofTexts = {
  'explorer.proof': ['Proof', '证明'],
  'explorer.proof.start': ['Prove', '证明'],
  'explorer.proof.again': ['Prove again', '再次证明'],
  'explorer.proof.stop': ['Stop', '停止'],
  'explorer.proof.hint': [
    'Raises the lower bound of the execution time, for at most {seconds} s',
    '提高执行时间的下界，最多 {seconds} 秒',
  ],
  'explorer.proof.waits': ['waits for a worker', '等待工作进程'],
  'explorer.proof.running': ['bound {bound}, {seconds} s', '下界 {bound}，{seconds} 秒'],
  'explorer.proof.optimal': ['no plan is faster than {time}', '没有方案快于 {time}'],
  'explorer.proof.feasible': ['bound {bound}, as far as it goes', '下界 {bound}，已到极限'],
  'explorer.proof.limit': ['bound {bound} after {seconds} s', '{seconds} 秒后下界为 {bound}'],
  'explorer.proof.stopped': ['stopped at bound {bound}', '已停止，下界 {bound}'],
} as const satisfies Catalogue
