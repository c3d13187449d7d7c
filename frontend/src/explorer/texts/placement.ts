/** Texts of the evaluation of a placement made by hand. */
import type { Catalogue } from '../../i18n/format'

export const placementTexts = {
  'explorer.placement': ['Evaluate a placement', '评估放置'],
  'explorer.placement.text': ['Placement, as CSV or JSON', '放置（CSV 或 JSON）'],
  'explorer.placement.hint': [
    'One row per operator: operator, device and, if you like, order. A downloaded operator table or plan can be edited and used. Nothing is stored until it is kept.',
    '每个算子一行：operator、device，以及可选的 order。也可使用下载并修改过的算子表或方案。保存之前不会存储任何内容。',
  ],
  'explorer.placement.file': ['Choose a file', '选择文件'],
  'explorer.placement.run': ['Evaluate', '评估'],
  'explorer.placement.keep': ['Keep as a plan', '存为方案'],
  'explorer.placement.run_first': ['Evaluate it first.', '请先评估。'],
  'explorer.placement.no_fit': ['It does not fit into memory.', '放不进内存。'],
  'explorer.placement.empty': ['Paste a placement or choose a file first.', '请先粘贴放置或选择文件。'],
  'explorer.placement.figure': ['Figure', '指标'],
  'explorer.placement.this': ['This placement', '此放置'],
  'explorer.placement.multiple': ['× default', '× 默认'],
  'explorer.placement.dominated': ['Worse than, or equal to, these plans in every figure: {plans}', '各项指标均不优于方案：{plans}'],
  'explorer.placement.dominates': ['Better than, or equal to, these plans in every figure: {plans}', '各项指标均不劣于方案：{plans}'],
  'explorer.placement.equal': ['The same figures as plan {plans}', '与方案 {plans} 指标相同'],
  'explorer.placement.non_dominated': ['No plan of the front is better in every figure.', '前沿中没有各项均更优的方案。'],
  'explorer.placement.does_not_fit': ['It exceeds a memory, so it is not compared with the front.', '超出内存，因此不与前沿比较。'],
  'explorer.placement.overflow': ['It does not fit: it exceeds memory by {size}', '放不下：超出内存 {size}'],
} as const satisfies Catalogue
