// What the reader of a model assumed.
import type { Catalogue } from '../../format'

export const notes = {
  'note.operator_unknown': ['{op_type} is not a known operator type; {operator} is costed by its bytes alone', '{op_type} 不是已知的算子类型；{operator} 仅按字节计算成本'],
  'note.weights_missing': ['{count, plural, one {# weight carries} other {# weights carry}} no data; only the sizes are used', '{count} 个权重没有数据；仅使用其大小'],
  'note.weights_external': ['{count, plural, one {# weight is} other {# weights are}} stored outside the file; only the sizes are used', '{count} 个权重存放在文件之外；仅使用其大小'],
  'note.more_notes': ['{count} more of the same kind: {code}', '另有 {count} 条同类说明：{code}'],
  'note.dead_operators_removed': ['{count, plural, one {# operator whose result nobody reads was left out} other {# operators whose results nobody reads were left out}}', '已略去 {count} 个结果无人读取的算子'],
  'note.dimension_defaulted': ['The dimension {dimension} was taken as {value}', '维度 {dimension} 取为 {value}'],
  'note.trip_count_unknown': ['How often {operator} repeats is unknown; {assumed} was taken', '{operator} 的循环次数未知，取 {assumed} 次'],
  'note.trip_count_given': ['{operator} repeats {trips} times, as given', '{operator} 循环 {trips} 次（手动给定）'],
  'note.trip_count_bound': ['{operator} may stop early; its bound of {assumed} rounds was taken', '{operator} 可能提前结束；取其上限 {assumed} 次'],
  'note.branch_unknown': ['Which branch {operator} takes is unknown; the larger one counts', '{operator} 走哪个分支未知；按较大的分支计算'],
  'note.branch_given': ['{operator} takes its then branch in {share} of the runs, as given', '{operator} 走 then 分支的比例为 {share}（手动给定）'],
  'note.shape_given': ['The shape of {tensor} was given by hand: {shape}', '{tensor} 的形状由人工给定：{shape}'],
  'note.cost_given': ['The cost of {operator} ({op_type}) was given by hand', '{operator}（{op_type}）的成本由人工给定'],
  'note.declaration_stale': ['The file declares {declared} for {tensor}, but its operators give {inferred}, which counts', '文件声明 {tensor} 的形状为 {declared}，但由算子推得 {inferred}，以后者为准'],
  'note.names_not_text': ['{count, plural, one {# name is} other {# names are}} not UTF-8; the bytes that are not text are shown as escapes', '{count} 个名称不是 UTF-8；非文本字节以转义形式显示'],
  'reason.input_unknown': ['the shape of an input is unknown', '某个输入的形状未知'],
  'note.constant_outputs': ['{count, plural, one {# output is constant} other {# outputs are constant}}', '{count} 个输出为常量'],
  'note.size_estimated': ['The size of {tensor} is estimated', '{tensor} 的大小为估计值'],
  'reason.shape_unknown': ['its shape is unknown', '形状未知'],
  'reason.input_without_shape': ['an input without a shape', '输入没有形状'],
  'note.gradient_estimated': ['The backward cost of {operator} ({op_type}) is estimated', '{operator}（{op_type}）的反向成本为估计值'],
  'note.default_link': ['A link that the pool does not give was assumed', '设备池未给出的链路已按默认假定'],
  'note.training_step': [
    'A training step with {optimizer}: {forward_operators} forward operators, {weights} weights',
    '使用 {optimizer} 的训练步：{forward_operators} 个前向算子，{weights} 个权重',
  ],
  'reason.operator_not_in_opset': ['the opset has no such operator', '该 opset 没有此算子'],
  'reason.attribute_out_of_range': ['an attribute is out of range', '有属性超出范围'],
  'reason.rank_too_high': ['it would have more dimensions than ONNX allows', '维数会超过 ONNX 的限制'],
} as const satisfies Catalogue
