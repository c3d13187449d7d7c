// Why a trial run cannot be made, or has no figures.
import type { Catalogue } from '../../format'

export const trials = {
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
} as const satisfies Catalogue
