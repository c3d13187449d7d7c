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
  'explorer.proof.plan': ['Solver\'s plan', '求解器的方案'],
  'explorer.proof.plan.add': ['Add the solver\'s plan to the front', '将求解器的方案加入前沿'],
  'explorer.proof.plan.hint': [
    'It joins as a further plan; the numbers of the others stay',
    '作为新方案加入；其他方案的编号不变',
  ],
  'explorer.proof.plan.cannot': ['Cannot be added: {reason}', '不能加入：{reason}'],
  'explorer.proof.plan.added': ['The solver\'s plan is plan {number} of the front', '求解器的方案已成为前沿的方案 {number}'],
  'explorer.proof.plan.is': ['plan {number}', '方案 {number}'],
  'explorer.plan.from_solver': ['from the solver', '来自求解器'],
  'explorer.plan.from_solver.hint': [
    'A proof\'s solver found this plan; it was added to the front',
    '此方案由证明的求解器找到，并被加入前沿',
  ],
} as const satisfies Catalogue
