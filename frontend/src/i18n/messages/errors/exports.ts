// Why a plan cannot be exported to a format, or an export cannot be used.
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
  'error.trial_unfinished': ['This trial run has no figures that could be taken back', '此试运行没有可计入成本的数据'],
  'hint.trial_unfinished': ['Wait until it is done, or run the plan again.', '请等待其完成，或重新运行方案。'],
  'error.trial_tells_nothing': [
    'The trial run tells nothing new: every operator that it ran was measured before',
    '试运行没有带来新信息：其运行的每个算子此前都已测量',
  ],
  'hint.trial_tells_nothing': ['Calibrate the devices again if the figures no longer hold.', '若数据已不准确，请重新校准设备。'],
  'error.trial_failed': ['The segments could not be run here: {says}', '无法在此运行这些分段：{says}'],
  'hint.trial_failed': [
    'Give each device a runtime of this machine in the option device.NAME, such as onnxruntime:CPUExecutionProvider.',
    '请在选项 device.NAME 中为每台设备指定本机的运行时，例如 onnxruntime:CPUExecutionProvider。',
  ],
  'error.trial_stopped': ['The trial run was stopped', '试运行已停止'],
  'hint.trial_stopped': ['Start it again.', '请重新开始。'],
  'error.trial_no_host': [
    'No host with ONNX Runtime on a CPU is there now, so the plan cannot be run',
    '目前没有带 ONNX Runtime（CPU）的主机，因此无法运行该方案',
  ],
  'hint.trial_no_host': [
    'Start the process of a host, or run the trial command where the plan shall run.',
    '请启动主机进程，或在要运行该方案的机器上使用试运行命令。',
  ],
  'error.trial_devices_apart': ['The chosen devices are on different hosts; a trial run is on one', '所选设备位于不同主机；试运行只能在一台主机上进行'],
  'hint.trial_devices_apart': ['Choose devices of one host.', '请选择同一主机的设备。'],
  'error.trial_device_unknown': ['The pool of this plan has no device {device}', '该方案的设备池中没有设备 {device}'],
  'hint.trial_device_unknown': ['Name devices of the pool that was searched.', '请使用搜索所用设备池中的设备。'],
  'error.trial_device_confined': [
    '{device} cannot take part: segments of an uploaded model run without access to drivers, on CPUs',
    '{device} 无法参与：上传模型的分段在无驱动访问权限的环境中运行，仅限 CPU',
  ],
  'hint.trial_device_confined': [
    'Choose a CPU of ONNX Runtime or OpenVINO, or run the trial command on that host.',
    '请选择 ONNX Runtime 或 OpenVINO 的 CPU，或在该主机上使用试运行命令。',
  ],
  'error.trial_time': ['The trial run took more than {seconds} s and was stopped', '试运行超过 {seconds} 秒，已停止'],
  'hint.trial_time': ['Give it more time, or fewer items.', '请给予更多时间，或减少项数。'],
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
  // why a format cannot hold a plan
  'error.export_target_unknown': ['The option {option} names no device of the pool', '选项 {option} 不对应设备池中的任何设备'],
  'hint.export_target_unknown': ['Devices: {known}', '设备：{known}'],
  'error.export_device': ['{engine} has no device for {device} ({name})', '{engine} 没有与 {device}（{name}）对应的设备'],
  'hint.export_device': [
    'Say what it is called there with the option target.{device}, plan without it, or choose another format.',
    '请用选项 target.{device} 指明其名称，或在规划中不使用它，或选择其他格式。',
  ],
  'error.export_target_shared': [
    '{devices} would all be {target} in {engine}, so the placement between them is lost',
    '{devices} 在 {engine} 中都是 {target}，它们之间的放置会丢失',
  ],
  'hint.export_target_shared': [
    'Give them different names with the options target.DEVICE, or choose a format that writes a file for each segment.',
    '请用选项 target.设备 给出不同名称，或选择按段写文件的格式。',
  ],
  'error.export_training': [
    'The plan is of a training step; {count} of its operators are in no model file: {operators}',
    '该方案为训练步骤；其中 {count} 个算子不在模型文件中：{operators}',
  ],
  'hint.export_training': ['Export it as plan-json, csv or trace, or plan inference.', '请导出为 plan-json、csv 或 trace，或规划推理。'],
  'error.export_no_model': ['The plan is of a graph that was not read from an ONNX model', '该方案的计算图并非读自 ONNX 模型'],
  'hint.export_no_model': ['Export it as plan-json, csv or trace, or plan an ONNX model.', '请导出为 plan-json、csv 或 trace，或规划 ONNX 模型。'],
  'error.export_model_file': ['The model file cannot be read: {reason}', '无法读取模型文件：{reason}'],
  'hint.export_model_file': ['Give the ONNX file that was planned.', '请提供规划所用的 ONNX 文件。'],
  'error.export_model_differs': [
    'The file is not the model that was planned: {expressed} of {planned} operators are in it as planned. The first difference: {reason}',
    '该文件不是所规划的模型：{planned} 个算子中有 {expressed} 个与规划一致。第一处差异：{reason}',
  ],
  'hint.export_model_differs': [
    'Give the ONNX file that was planned, or plan this one.',
    '请提供规划所用的 ONNX 文件，或重新规划此文件。',
  ],
  'error.export_model_data': [
    'The weights {tensor} are in a file that is not beside the model or cannot be read',
    '权重 {tensor} 所在的文件不在模型旁边或无法读取',
  ],
  'hint.export_model_data': ['Put the model’s data files into its folder.', '请将模型的数据文件放到其文件夹中。'],
  'error.export_model_large': ['A model file would be larger than {limit_bytes} bytes', '模型文件将超过 {limit_bytes} 字节'],
  'hint.export_model_large': [
    'Save the model with its weights in a separate file, or choose another format.',
    '请将权重保存到单独的文件，或选择其他格式。',
  ],
  'error.export_not_a_tensor': ['{tensor} crosses the border of a segment and is no tensor', '{tensor} 跨越分段的边界，但不是张量'],
  'hint.export_not_a_tensor': ['Pin what makes it and what reads it to one device.', '请将产生它和读取它的算子固定到同一设备。'],
  'error.export_size_unknown': [
    'The shape of {tensor}, which crosses the border of a segment, is not known',
    '跨越分段边界的 {tensor} 形状未知',
  ],
  'hint.export_size_unknown': [
    'State it where the model is read, or pin what makes and reads it to one device.',
    '请在读取模型时给出其形状，或将相关算子固定到同一设备。',
  ],
  'error.export_unparsable': ['{file} of the {format} export cannot be parsed again: {reason}', '{format} 导出的 {file} 无法重新解析：{reason}'],
  'hint.export_unparsable': ['Export again; if it stays so, report it as a bug.', '请重新导出；若仍如此，请报告此错误。'],
  'error.export_option_long': ['The option {option} has {length} characters; {limit} are allowed', '选项 {option} 有 {length} 个字符；最多允许 {limit} 个'],
  'hint.export_option_long': ['Give a shorter value.', '请给出更短的值。'],
  'error.export_option_character': [
    'The option {option} holds the character {character}, which cannot be seen or ends a line',
    '选项 {option} 含有不可见或换行的字符 {character}',
  ],
  'hint.export_option_character': [
    'Type the value again, without line breaks and invisible characters.',
    '请重新输入该值，不要带换行和不可见字符。',
  ],
  'error.export_version': [
    '{engine} {version} does not load this format, which is for {versions}',
    '{engine} {version} 无法载入此格式，该格式适用于 {versions}',
  ],
  'hint.export_version': ['Choose another version of the engine, or another format.', '请选择引擎的其他版本，或其他格式。'],
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
  'error.export_option_value': ['The option {option} cannot be {value}', '选项 {option} 不能为 {value}'],
  'hint.export_option_value': ['See the description of the option.', '请参阅该选项的说明。'],
  'error.export_dla_version': [
    'The plan uses a DLA, which TensorRT {version} builds for only from models typed for it, if at all',
    '该方案使用 DLA，而 TensorRT {version} 至多只能用按其类型标注的模型构建',
  ],
  'hint.export_dla_version': [
    'Use TensorRT 10.7 or older with the option version=10, or plan without the DLA.',
    '请用选项 version=10 使用 TensorRT 10.7 或更早版本，或在规划中不使用 DLA。',
  ],
  'error.export_command_long': [
    'An argument of trtexec would take {size_bytes} bytes; a command line takes {limit_bytes}',
    'trtexec 的一个参数将有 {size_bytes} 字节；命令行最多 {limit_bytes} 字节',
  ],
  'hint.export_command_long': ['Plan the model fused, or put more of it on one device.', '请按融合后的模型规划，或将更多部分放到同一设备。'],
  'error.export_no_device_of': ['The plan places nothing on a device of {vendor}', '该方案没有在 {vendor} 的设备上放置任何算子'],
  'hint.export_no_device_of': ['Choose a format for the devices that it uses.', '请选择适合其所用设备的格式。'],
  'error.export_soc': ['The compiler needs the exact SoC of {device}, which the pool does not say', '编译器需要 {device} 的确切 SoC，而设备池未说明'],
  'hint.export_soc': [
    'npu-smi info on that host names it: 910B3 is given as the option {option}=Ascend910B3.',
    '该主机上的 npu-smi info 会给出：910B3 以选项 {option}=Ascend910B3 给出。',
  ],
  'error.export_dtype': ['Triton hands over no {dtype} ({tensor})', 'Triton 不能传递 {dtype}（{tensor}）'],
  'hint.export_dtype': [
    'Pin what makes it and what reads it to one device, so that it crosses no border.',
    '请将产生它和读取它的算子固定到同一设备，使其不跨越边界。',
  ],
  'error.export_untouched_output': [
    'The model passes its input {tensor} on as an output, which no segment makes',
    '模型将输入 {tensor} 直接作为输出，没有任何段产生它',
  ],
  'hint.export_untouched_output': ['Remove that output from the model, or choose another format.', '请从模型中删除该输出，或选择其他格式。'],
  'error.export_image': ['{format} needs the image of the container that runs the segments', '{format} 需要运行各段的容器镜像'],
  'hint.export_image': ['Give it with the option image=registry/name:tag.', '请用选项 image=registry/name:tag 给出。'],
  'error.export_resource': ['No device plugin is known for {devices}', '没有已知的设备插件用于 {devices}'],
  'hint.export_resource': [
    'Name the extended resource that its plugin offers with the option resource.DEVICE=vendor.com/name.',
    '请用选项 resource.设备=vendor.com/name 指明其插件提供的扩展资源。',
  ],
  'error.export_device_files': ['It is not known through which files a container reaches {devices}', '不清楚容器通过哪些文件访问 {devices}'],
  'hint.export_device_files': ['Name them with the option files.DEVICE=/dev/....', '请用选项 files.设备=/dev/... 指明。'],
  'error.export_no_modules': ['The operators’ names say nothing of the modules that they come from', '算子名称未说明其所属模块'],
  'hint.export_no_modules': [
    'Export the model from PyTorch with its module names, or choose another format.',
    '请从 PyTorch 连同模块名一起导出模型，或选择其他格式。',
  ],
  'error.export_module_border': [
    'The module {module} is on {devices}: the plan cuts it between its own operators {operators}',
    '模块 {module} 分布在 {devices}：方案在其自身算子之间切分：{operators}',
  ],
  'hint.export_module_border': [
    'Pin the operators of that module to one device and plan again, or choose a format that cuts anywhere.',
    '请将该模块的算子固定到同一设备并重新规划，或选择可任意切分的格式。',
  ],
  'error.export_no_chain': ['The plan’s {n_segments} segments are no chain of stages, one a device', '方案的 {n_segments} 个段不是每设备一段的链'],
  'hint.export_no_chain': [
    'Choose contiguous modules a device (a search for throughput finds such plans), or a format that runs any plan.',
    '请为每个设备选择连续的模块（以吞吐量为目标的搜索可找到此类方案），或选择可运行任意方案的格式。',
  ],
  'note.export_strongly_typed': [
    'TensorRT {version} takes precisions from the model alone; the plan’s are not in these files.',
    'TensorRT {version} 的精度只取自模型；这些文件不含方案中的精度。',
  ],
} as const satisfies Catalogue
