/** Texts of moves that are tried, and of plans that are kept. */
import type { Catalogue } from '../../i18n/format'

export const whatIfTexts = {
  'explorer.whatif': ['What-if', '试算'],
  'explorer.whatif.try': ['Try', '试算'],
  'explorer.whatif.try_on': ['Try on {tag}', '在 {tag} 上试算'],
  'explorer.whatif.back': ['Back', '移回'],
  'explorer.whatif.back_to': ['Back to {tag}', '移回 {tag}'],
  'explorer.whatif.more': ['and {count} more', '以及另外 {count} 个'],
  'explorer.whatif.undo_one': ['Take back the move of {name}', '撤销 {name} 的移动'],
  'explorer.whatif.keep': ['Keep as plan {number}', '存为方案 {number}'],
  'explorer.whatif.same': ['This is plan {number}', '即方案 {number}'],
  'explorer.whatif.kept': ['Kept as plan {number}', '已存为方案 {number}'],
  'explorer.whatif.discard': ['Discard', '撤销'],
  'explorer.whatif.busy': ['The plan is being decoded', '正在重新计算方案'],
  'explorer.whatif.not_yours': ['Only planners keep plans', '只有规划者可以保存方案'],
  'explorer.whatif.you': ['You moved it here from {tag}.', '由你从 {tag} 移来。'],
  'explorer.whatif.you_longer': ['You moved it here from {tag}; the plan takes {time} longer.', '由你从 {tag} 移来，方案延长 {time}。'],
  'explorer.whatif.you_shorter': ['You moved it here from {tag}; the plan takes {time} less.', '由你从 {tag} 移来，方案缩短 {time}。'],
  'explorer.whatif.try_n': ['Try on', '试算到'],
  'explorer.whatif.left_out': [
    '{count, plural, one {# operator stays: it} other {# operators stay: they}} cannot run on {tag}',
    '{count} 个算子保持不动：不能在 {tag} 上运行',
  ],
  'explorer.plan.kept': ['Made by hand: {count, plural, one {# operator} other {# operators}} moved in plan {number}', '手动方案：在方案 {number} 中移动了 {count} 个算子'],
  'explorer.plan.kept_gone': ['Made by hand: {count, plural, one {# operator} other {# operators}} moved in an earlier plan', '手动方案：在先前的方案中移动了 {count} 个算子'],
  'explorer.plan.kept_placement': ['Made by hand from a placement', '由手动放置得到'],
  'explorer.plan.kept_by': ['by {name}', '由 {name}'],
  'explorer.plan.remove': ['Remove', '移除'],
  'explorer.plan.remove.ask': ['Remove plan {number}?', '移除方案 {number}？'],
  'explorer.plan.remove.text': [
    'Its exports, its trial runs and a review that nobody has used go with it. Plans made from it stay, and its number is not used again. What was sent for review or discussed cannot be removed.',
    '其导出、试运行和未使用的评审将一并移除。由它得到的方案保留，编号不再使用。已送评审或有讨论的方案不能移除。',
  ],
  'explorer.plan.remove.not_yours': ['Only planners remove plans', '只有规划者可以移除方案'],
  'explorer.plan.removed': ['Plan {number} removed', '已移除方案 {number}'],
  'explorer.key.try': ['try the best alternative of the operator', '试算该算子的最佳备选'],
} as const satisfies Catalogue
