// Hosts of the installation and what runs on their devices.
import type { Catalogue } from '../../format'

export const hosts = {
  'error.device_not_ready': ['{device} is {state}; only healthy devices get work', '{device} 的状态为 {state}；只有健康的设备才会接受任务'],
  'hint.device_not_ready': ['The page of devices says why.', '设备页面说明了原因。'],
  'error.devices_apart': [
    'The two devices are on different hosts, so one process cannot feed both the same inputs',
    '两个设备位于不同主机，无法由同一进程提供相同的输入',
  ],
  'hint.devices_apart': ['Choose two devices of one host.', '请选择同一主机上的两个设备。'],
  'error.devices_same': ['A device cannot be compared with itself', '设备不能与自身比较'],
  'hint.devices_same': ['Choose two devices, or two precisions.', '请选择两个设备，或两种精度。'],
  'error.host_silent': ['Nothing has been heard of {host} lately, so nothing runs on its devices', '最近没有收到 {host} 的消息，其设备上不会运行任何任务'],
  'hint.host_silent': ['Start its process: ./run worker --host', '请启动它的进程：./run worker --host'],
  'error.measuring_died': ['The process that measured the device ended before it was done', '测量设备的进程在完成之前结束'],
  'hint.measuring_died': ['It may need more memory than the machine has. The workers’ log says more.', '所需内存可能超过机器内存。工作进程的日志有更多信息。'],
  'error.model_gone': ['The model was deleted', '模型已被删除'],
  'hint.model_gone': ['Choose another one.', '请选择其他模型。'],
  'error.model_in_parts': ['Only a model in one file can be run; this one keeps weights in other files', '只能运行单个文件的模型；此模型的权重保存在其他文件中'],
  'hint.model_in_parts': ['Save it with its weights inside (below 2 GB), and upload that.', '请将权重保存在模型内（小于 2 GB）后再上传。'],
  'error.model_not_runnable': ['Only an ONNX model that has been read can be run', '只有已读取的 ONNX 模型才能运行'],
  'hint.model_not_runnable': ['Upload it as ONNX, and answer what its page asks for.', '请以 ONNX 格式上传，并补全其页面要求的信息。'],
  'error.not_your_model': ['Only who uploaded the model, or an owner of the team, may have it run', '只有上传者或团队所有者可以运行该模型'],
  'error.precision_unknown': ['{device} cannot be asked for {precision}', '{device} 不能使用精度 {precision}'],
  'hint.precision_unknown': ['Known are {known}.', '可用：{known}。'],
  'error.host_alive': ['{host} is alive: it would be back at its next heartbeat', '{host} 仍在运行：下一次心跳时会重新出现'],
  'hint.host_alive': ['Stop its processes first.', '请先停止它的进程。'],
} as const satisfies Catalogue
