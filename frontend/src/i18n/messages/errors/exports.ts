// Why a plan cannot be exported to a format, or an export cannot be used.
import type { Catalogue } from '../../format'

const PLUGIN: [string, string] = ['This is a fault of the format’s plugin; report it to its author.', '这是该格式插件的错误；请报告给其作者。']
const AGAIN: [string, string] = ['Unpack the archive again, or export again.', '请重新解压归档，或重新导出。']

export const exports = {
  'error.export_unknown': ['There is no format {format}', '没有格式 {format}'],
  'hint.export_unknown': ['Use one of: {known}', '可用格式：{known}'],
  'error.export_unavailable': ['The format {format} cannot be used: {reason}', '格式 {format} 无法使用：{reason}'],
  'hint.export_unavailable': ['Repair or remove the package that brings it.', '请修复或卸载提供它的软件包。'],
  'error.export_needs_model': ['{format} needs the ONNX file that was planned', '{format} 需要规划所用的 ONNX 文件'],
  'hint.export_needs_model': [
    'Give the model’s file, or choose a format that does not carry the model.',
    '请提供模型文件，或选择不含模型的格式。',
  ],
  'error.export_option_unknown': ['{format} has no option {option}', '{format} 没有选项 {option}'],
  'hint.export_option_unknown': ['Its options: {known}', '其选项：{known}'],
  'error.export_coverage': [
    '{format} does not say of every operator whether it expresses it ({expressed} of {planned})',
    '{format} 未说明每个算子是否被表达（{expressed} / {planned}）',
  ],
  'hint.export_coverage': PLUGIN,
  'error.export_model_unreadable': ['{path} is not a readable ONNX model: {reason}', '{path} 不是可读取的 ONNX 模型：{reason}'],
  'hint.export_model_unreadable': ['Give the ONNX file that was planned.', '请提供规划所用的 ONNX 文件。'],
  'error.export_model_other': [
    'The model file does not have {count} of the planned operators, such as {operator}',
    '模型文件缺少 {count} 个已规划的算子，例如 {operator}',
  ],
  'hint.export_model_other': [
    'Give the very file that was planned: operators are known by the names of their outputs.',
    '请提供规划所用的同一文件：算子由其输出名识别。',
  ],
  'error.export_model_ambiguous': [
    'The model file has several values called {value}, so its operators cannot be told apart',
    '模型文件中有多个名为 {value} 的值，无法区分其算子',
  ],
  'hint.export_model_ambiguous': [
    'Export the model again with a name of its own for every output.',
    '请重新导出模型，使每个输出都有唯一的名称。',
  ],
  'error.export_model_cut': [
    'Segment {segment} needs {value}, which the plan does not hand to it',
    '分段 {segment} 需要 {value}，但方案未将其传给该分段',
  ],
  'hint.export_model_cut': [
    'Plan the file again as it is now, or fold its constants before planning.',
    '请用当前文件重新规划，或在规划前折叠其常量。',
  ],
  'error.export_provider_unknown': [
    'It is not known which execution provider runs the device {device}',
    '不知道由哪个执行提供程序运行设备 {device}',
  ],
  'hint.export_provider_unknown': [
    'Name it in the option device.{device}: onnxruntime:PROVIDER, or openvino:DEVICE.',
    '请在选项 device.{device} 中指定：onnxruntime:PROVIDER 或 openvino:DEVICE。',
  ],
  'error.export_training_step': [
    'The plan is of a training step, which the model file does not hold',
    '该方案针对训练步骤，模型文件中不含训练步骤',
  ],
  'hint.export_training_step': ['Export a plan of the model itself.', '请导出模型本身的方案。'],
  'error.export_data_missing': [
    'The model keeps {tensor} in a file that is not beside it',
    '模型将 {tensor} 存放在另一文件中，但该文件不在模型旁边',
  ],
  'hint.export_data_missing': [
    "Put the files of the model's external data where the model names them.",
    '请将模型的外部数据文件放到模型所指的位置。',
  ],
  'error.export_segments_invalid': ['The segments cannot be used: {reason}', '分段无法使用：{reason}'],
  'hint.export_segments_invalid': ['Export them again.', '请重新导出。'],
  'error.export_path': ['The format writes a file with an unsafe or repeated name: {path}', '该格式写出的文件名不安全或重复：{path}'],
  'hint.export_path': PLUGIN,
  'error.export_folder_used': ['{path} exists and is not an empty folder', '{path} 已存在且不是空文件夹'],
  'hint.export_folder_used': ['Name a new folder: files of two exports must not mix.', '请指定新文件夹：两次导出的文件不可混合。'],
  'error.export_manifest': ['The manifest of the export cannot be read: {reason}', '无法读取导出清单：{reason}'],
  'hint.export_manifest': ['Give the folder that the export was written to.', '请给出导出所写入的文件夹。'],
  'error.export_file_missing': ['The export lacks the file {path}', '导出缺少文件 {path}'],
  'hint.export_file_missing': AGAIN,
  'error.export_file_changed': ['The file {path} was changed after it was exported', '文件 {path} 在导出后被更改'],
  'hint.export_file_changed': AGAIN,
  'error.export_file_unknown': ['The export holds a file that its manifest does not list: {path}', '导出含有清单未列出的文件：{path}'],
  'hint.export_file_unknown': ['Remove it, or export into a new folder.', '请删除它，或导出到新文件夹。'],
  'error.export_incomplete': [
    'The {format} files hold {expressed} of {planned} operators where the plan has them; not: {operators}',
    '{format} 文件中 {planned} 个算子只有 {expressed} 个与方案一致；不一致：{operators}',
  ],
  'hint.export_incomplete': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.plan_damaged': ['The plan file is damaged: {reason}', '方案文件已损坏：{reason}'],
  'error.plan_without_inputs': [
    'The plan file does not carry the graph, the pool and the costs that this needs',
    '方案文件不含所需的计算图、设备池和代价',
  ],
  'hint.plan_without_inputs': ['Export the plan with its inputs.', '请连同输入一起导出方案。'],
  'error.plan_decodes_otherwise': [
    'The plan file states other figures than its own inputs give: {figures}',
    '方案文件中的数值与其输入计算所得不符：{figures}',
  ],
  'hint.plan_decodes_otherwise': [
    'The file was changed, or written by another version; export it again.',
    '文件被更改或由其他版本写出；请重新导出。',
  ],
  'error.trace_invalid': ['The trace cannot be shown: {reason}', '无法显示该跟踪：{reason}'],
  'hint.trace_invalid': ['Export it again.', '请重新导出。'],
} as const satisfies Catalogue
