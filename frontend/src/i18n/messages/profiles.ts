// Profiles of models: a run of the model itself on a device.
import type { Catalogue } from '../format'

export const profileMessages = {
  'profile.title': ['Profiles', '性能剖析'],
  'profile.text': [
    'Runs this model on a device with its profiler, in the sandbox. Searches on a pool that names the profile take these costs.',
    '在沙箱中用设备的剖析器运行此模型。设备池选用该剖析后，搜索将使用这些成本。',
  ],
  'profile.device': ['Device', '设备'],
  'profile.noDevice': ['No host has a healthy device now', '目前没有主机有健康的设备'],
  'profile.go': ['Profile this model', '剖析此模型'],
  'profile.onlyOwner': ['Only who uploaded it, or an owner of the team, may have it run', '只有上传者或团队所有者可以运行此模型'],
  'profile.onnxOnly': ['Only an ONNX model can be run', '只能运行 ONNX 模型'],
  'profile.total': ['{time} a run', '每次运行 {time}'],
  'profile.found': ['{share} of the profiled time found in the model, ± {spread}', '剖析时间的 {share} 可对应到模型，± {spread}'],
  'profile.trial': ['Trial run of plan {n}, {device}', '方案 {n} 的试运行，{device}'],
  'profile.trialFactor': [
    '{factor} × what was predicted, over {n, plural, one {# operator} other {# operators}}, ± {spread}',
    '为预测的 {factor} 倍，涉及 {n} 个算子，± {spread}',
  ],
  'profile.stale': ['The runtime has changed since', '运行时此后已变化'],
  'profile.earlier': ['Of an earlier reading of the model', '针对模型先前的读取结果'],
  'profile.longest': ['Longest operators', '耗时最长的算子'],
  'profile.operator': ['Tensor that it makes', '输出张量'],
  'profile.time': ['Time', '时间'],
  'profile.download': ['Download', '下载'],
  'profile.delete': ['Delete', '删除'],
  'profile.delete.ask': ['Delete the profile on {name}?', '删除在 {name} 上的剖析？'],
  'profile.delete.text': ['Pools and searches that use it keep what it measured.', '使用它的设备池和搜索会保留其测量数据。'],
  'profile.pool.title': ['Profiles of models', '模型剖析'],
  'profile.pool.text': [
    'Searches of these models take the times of their own runs on a device; of all other models, calibrations or data sheets.',
    '搜索这些模型时使用其自身在设备上运行的时间；其他模型使用校准或数据手册。',
  ],
  'profile.pool.none': ['No profile is used. Make one on the page of a model.', '尚未使用任何剖析。请在模型页面上创建。'],
  'profile.pool.profile': ['Profile', '剖析'],
  'profile.pool.use': ['Use', '使用'],
  'profile.pool.remove': ['Do not use', '不再使用'],
  'profile.models': ['Cost models that learn from measurements: {names}', '从测量中学习的成本模型：{names}'],
  'profile.models.failed': ['{name} cannot be used: {message}', '{name} 无法使用：{message}'],
} as const satisfies Catalogue
