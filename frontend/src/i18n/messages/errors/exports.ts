// Why an export cannot be made or written, or cannot be used.
import type { Catalogue } from '../../format'

const PLUGIN: [string, string] = ['This is a fault of the format’s plugin; report it to its author.', '这是该格式插件的错误；请报告给其作者。']
const AGAIN: [string, string] = ['Unpack the archive again, or export again.', '请重新解压归档，或重新导出。']

export const exports = {
  'error.export_unknown': ['There is no format {format}', '没有格式 {format}'],
  'hint.export_unknown': ['Use one of: {known}', '可用格式：{known}'],
  'error.export_unavailable': ['The format {format} cannot be used: {reason}', '格式 {format} 无法使用：{reason}'],
  'hint.export_unavailable': ['Repair or remove the package that brings it.', '请修复或卸载提供它的软件包。'],
  'note.export_dims_fixed': ['The sizes of the inputs are fixed as planned: {dims}', '输入的尺寸按规划固定：{dims}'],
  'note.export_weights_copied': ['Segments share weights, which are written into each of them: {size_bytes} bytes more', '多个分段共用权重，分别写入各分段：多 {size_bytes} 字节'],
  'error.export_needs_onnx': ['This format carries the ONNX model, and this plan is not of one', '该格式包含 ONNX 模型，而此方案并非来自 ONNX 模型'],
  'hint.export_needs_onnx': ['Choose a format that does not carry the model.', '请选择不含模型的格式。'],
  'error.export_lost': ['The format wrote no archive', '该格式未写出归档'],
  'hint.export_lost': ['Export again.', '请重新导出。'],
  'error.export_not_ready': ['This export is not there', '该导出尚不存在'],
  'hint.export_not_ready': ['Wait until it is done, or export again.', '请等待完成，或重新导出。'],
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
  'error.export_runtime_unknown': [
    'The runner knows no runtime {runtime}, which is to run the device {device}; it knows {known}',
    '运行器不认识应运行设备 {device} 的运行时 {runtime}；它只认识 {known}',
  ],
  'hint.export_runtime_unknown': [
    'Name one of them in the option device.{device}: onnxruntime:PROVIDER, or openvino:DEVICE.',
    '请在选项 device.{device} 中指定其中之一：onnxruntime:PROVIDER 或 openvino:DEVICE。',
  ],
  'error.export_cores': ['{cores} names no processors for {device}', '{cores} 没有给出 {device} 的处理器'],
  'hint.export_cores': ['Give their numbers, such as 0,2-3.', '请给出编号，例如 0,2-3。'],
  'error.export_segments_invalid': ['The segments cannot be used: {reason}', '分段无法使用：{reason}'],
  'hint.export_segments_invalid': ['Export them again.', '请重新导出。'],
  'error.export_path': ['The format writes a file with an unsafe or repeated name: {path}', '该格式写出的文件名不安全或重复：{path}'],
  'hint.export_path': PLUGIN,
  'error.export_folder_used': ['{path} exists and is not an empty folder', '{path} 已存在且不是空文件夹'],
  'hint.export_folder_used': [
    'Name a new folder: files of two exports must not mix. To replace an earlier export: --force.',
    '请指定新文件夹：两次导出的文件不可混合。要替换先前的导出，请用 --force。',
  ],
  'error.export_folder_foreign': ['{path} is no folder of an export, so it is not replaced', '{path} 不是导出的文件夹，因此不予替换'],
  'hint.export_folder_foreign': ['Empty it by hand, or name another folder.', '请手动清空，或指定其他文件夹。'],
  'error.export_file_used': ['{path} exists', '{path} 已存在'],
  'hint.export_file_used': ['Name another file. To replace it: --force.', '请指定其他文件。要替换它，请用 --force。'],
  'error.export_disk_full': [
    'There is no room for the export {name}: {says}. Nothing was left behind',
    '没有空间写入导出 {name}：{says}。未留下任何文件',
  ],
  'hint.export_disk_full': [
    'Make room or name a folder on another disk, or choose a format that does not carry the model.',
    '请腾出空间或指定其他磁盘上的文件夹，或选择不含模型的格式。',
  ],
  'error.export_too_large': [
    'The {format} export would take {size_bytes} bytes; at most {limit_bytes} are allowed',
    '{format} 导出将占 {size_bytes} 字节；最多允许 {limit_bytes} 字节',
  ],
  'hint.export_too_large': [
    'Choose a format that carries no copies of the weights or a plan with fewer segments, or have the limit raised (--max-bytes, HETEROOPT_MAX_EXPORT_BYTES).',
    '请选择不复制权重的格式或分段较少的方案，或提高上限（--max-bytes、HETEROOPT_MAX_EXPORT_BYTES）。',
  ],
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
  'error.export_unparsable': ['{file} of the {format} export cannot be parsed again: {reason}', '{format} 导出的 {file} 无法重新解析：{reason}'],
  'hint.export_unparsable': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_other_plan': ['The export is of another plan: its {part} are not those of this one', '该导出属于另一方案：其 {part} 与此方案不同'],
  'hint.export_other_plan': [
    'Give the plan that was exported (--number for another of the front), or export this one.',
    '请给出所导出的方案（用 --number 选择前沿中的其他方案），或导出此方案。',
  ],
  'error.export_operator_repeated': [
    'The {format} files hold operators more than once, or such that the plan does not have: {operators}',
    '{format} 文件重复含有算子，或含有方案中没有的算子：{operators}',
  ],
  'hint.export_operator_repeated': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_segments_differ': [
    'The {format} files do not hold the plan’s {planned} segments once each, in order and on their devices: segment {segment}',
    '{format} 文件未按顺序、在各自设备上各含一次方案的 {planned} 个分段：分段 {segment}',
  ],
  'hint.export_segments_differ': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_order_differs': [
    'The {format} files have {count} operators at another place of the order: {operators}',
    '{format} 文件中有 {count} 个算子的顺序不同：{operators}',
  ],
  'hint.export_order_differs': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_target_differs': [
    'In the {format} files, {target} stands for {device}, which is not as exported',
    '{format} 文件中 {device} 对应 {target}，与导出时不同',
  ],
  'hint.export_target_differs': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_hash_differs': ['The {format} files are of another {part} than their manifest says', '{format} 文件的 {part} 与其清单不一致'],
  'hint.export_hash_differs': ['Export again, into a new folder.', '请导出到新文件夹。'],
} as const satisfies Catalogue
