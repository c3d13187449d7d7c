// Why a format cannot hold a plan, or not with these options.
import type { Catalogue } from '../../format'

export const formats = {
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
