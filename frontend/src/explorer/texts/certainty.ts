// Texts of how sure a plan is.
import type { Catalogue } from '../../i18n/format'

export const certaintyTexts = {
  'explorer.sure.range': ['Range of the time', '时间区间'],
  'explorer.sure.value': ['{low} to {high}', '{low} 至 {high}'],
  'explorer.sure.how': [
    'Each operator’s cost has an interval that holds 90% of operators like it. Those on the critical path are added as independent errors (root of the sum of squares); transfers, and the path itself, are taken as they are.',
    '每个算子的成本都有一个涵盖 90% 同类算子的区间。将关键路径上的误差视为相互独立并按平方和开方相加；传输与路径本身不变。',
  ],
  'explorer.sure.costs': ['Costs from', '成本来源'],
  'explorer.sure.energy': ['Energy from', '能耗来源'],
  'explorer.sure.part': ['{source} {share}', '{source} {share}'],
  'explorer.sure.interval': ['Interval {unit}', '区间 {unit}'],
  'explorer.sure.line': ['90% interval {low} to {high} {unit}; cost {source}, energy {energy}', '90% 区间 {low} 至 {high} {unit}；成本：{source}，能耗：{energy}'],
  'explorer.energyBrief': ['{name} ({sources})', '{name}（{sources}）'],
  'explorer.energyBrief.measured': ['measured', '实测'],
  'explorer.energyBrief.estimated': ['estimated', '估算'],
  'explorer.energyBrief.template': ['template', '模板'],
  'explorer.energyBrief.given': ['given', '给定'],
  'explorer.energySource.measured': ['measured', '实测'],
  'explorer.energySource.estimated': ['estimated from power', '由功率估算'],
  'explorer.energySource.template': ['template', '模板'],
  'explorer.energySource.given': ['given', '给定'],
  'explorer.energySource.none': ['none', '无'],
} as const satisfies Catalogue
