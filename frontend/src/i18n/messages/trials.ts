// Texts of the trial run of a plan.
import type { Catalogue } from '../format'

export const trialMessages = {
  'trial.title': ['Trial run', '试运行'],
  'trial.text': [
    'Runs the segments on a host, in the sandbox, and compares results and times with the model in one piece and with the prediction.',
    '在主机的沙箱中运行各分段，并将结果和时间与整体模型及预测进行比较。',
  ],
  'trial.start': ['Run the plan', '运行方案'],
  'trial.choose': ['What stands for each device', '各设备由什么代替'],
  'trial.chooseHint': [
    'By default each device of a pool that was made of the host is itself, any other ONNX Runtime’s CPU.',
    '默认情况下，由该主机生成的设备池中的设备即其自身，其他设备为 ONNX Runtime 的 CPU。',
  ],
  'trial.default': ['By default', '默认'],
  'trial.stale': ['{runtime} has another fingerprint now.', '{runtime} 的指纹已变化。'],
  'trial.segments': ['Segments', '分段数'],
  'trial.bySegment': ['{n, plural, one {# segment} other {# segments}}', '{n} 个分段'],
  'trial.noHost': ['No host with ONNX Runtime or OpenVINO is there now', '目前没有带 ONNX Runtime 或 OpenVINO 的主机'],
  'trial.underWay': ['A trial run is under way', '试运行正在进行'],
  'trial.where': ['{host}, {when} · {places}', '{host}，{when} · {places}'],
  'trial.predicted': ['Predicted', '预测'],
  'trial.measured': ['Measured', '实测'],
  'trial.ratio': ['Measured / predicted', '实测 / 预测'],
  'trial.latency': ['Latency', '延迟'],
  'trial.throughput': ['Throughput', '吞吐量'],
  'trial.perSecond': ['{n} items/s', '{n} 项/秒'],
  'trial.within': [
    'Same results as the model in one piece: largest relative difference {distance} at {name}, tolerance {tolerance}.',
    '结果与整体模型一致：{name} 的最大相对差为 {distance}，容差 {tolerance}。',
  ],
  'trial.beyond': [
    'Results differ from the model in one piece: relative difference {distance} at {name}, beyond the tolerance {tolerance}.',
    '结果与整体模型不同：{name} 的相对差为 {distance}，超出容差 {tolerance}。',
  ],
  'trial.wrong': [
    'Results differ from the model in one piece: {name} has another shape, NaN or infinity.',
    '结果与整体模型不同：{name} 的形状不同，或含 NaN 或无穷大。',
  ],
  'trial.whole': ['In one piece on ONNX Runtime’s CPU: {time}.', '整体在 ONNX Runtime 的 CPU 上：{time}。'],
  'trial.random': [
    '{n, plural, one {# weight of the file is all alike and was} other {# weights of the file are all alike and were}} random in this run.',
    '文件中有 {n} 个权重的元素全部相同，本次运行使用随机值。',
  ],
  'trial.constant': [
    'Some outputs prove nothing: they are constant, or nothing but zeros and their largest value.',
    '部分输出不能说明问题：它们为常量，或只含零与最大值。',
  ],
  'trial.constantAll': ['No output proves anything: all are constant', '没有输出能说明问题：全部为常量'],
  'trial.segment': ['Segment', '分段'],
  'trial.device': ['Device', '设备'],
  'trial.operators': ['Operators', '算子'],
  'trial.memory': ['Memory', '内存'],
  'trial.bar': ['Segment {n}: {from} to {to}', '分段 {n}：{from} 至 {to}'],
  'trial.timeline.label': [
    'One item through {n, plural, one {# segment} other {# segments}}, predicted and measured, {time} in all',
    '一项经过 {n} 个分段的预测与实测时间，共 {time}',
  ],
  'trial.takeBack': ['Take back into costs', '计入成本'],
  'trial.takeBack.text': [
    'Keeps what the segments took as a profile of the model for each device. Operators that were measured alone keep their figures; searches made before keep theirs.',
    '将各分段的耗时按设备保存为该模型的剖析。单独测量过的算子保留其数据，先前的搜索也保留其成本。',
  ],
  'trial.takenBack': [
    '{n, plural, one {Kept as # profile} other {Kept as # profiles}} of the model. Choose them on the page of the pool; delete them on that of the model.',
    '已保存为该模型的 {n} 份剖析。可在设备池页面选用，在模型页面删除。',
  ],
  'trial.takenBack.pool': ['Open the pool', '打开设备池'],
  'trial.takenBack.model': ['Open the model', '打开模型'],
  'trial.delete': ['Delete', '删除'],
} as const satisfies Catalogue
