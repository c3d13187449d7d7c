/** Why an operator is where it is: one sentence a code, as heteroopt/explanation gives them. */
import type { Catalogue } from '../../i18n/format'

export const reasonTexts = {
  'reason.pinned': ['Pinned to {device}.', '已固定在 {device}。'],
  'reason.view_follows': ['Shares the memory of {operator} and costs nothing.', '与 {operator} 共用内存，没有代价。'],
  'reason.only_supported_here': ['Only {device} supports it.', '只有 {device} 支持该算子。'],
  'reason.others_forbidden': [
    'The other devices that could run it are forbidden: {devices}.',
    '其他能运行它的设备已被禁用：{devices}。',
  ],
  'reason.colocated': [
    'Stays with {operator}; the {members} operators of its group share one device.',
    '与 {operator} 同组；组内 {members} 个算子须在同一设备。',
  ],
  'reason.memory_full_elsewhere': [
    'On {device} it would exceed the memory by {overflow_bytes}.',
    '移到 {device} 会超出内存 {overflow_bytes}。',
  ],
  'reason.fastest_here': [
    'Fastest here: {time_ms}, next is {device} with {other_time_ms}.',
    '在此最快：{time_ms}，其次 {device} 为 {other_time_ms}。',
  ],
  'reason.avoids_transfer': [
    'Avoids moving {transfer_bytes}; on {device} the plan takes {delta_ms} longer.',
    '避免多传 {transfer_bytes}；移到 {device} 方案会延长 {delta_ms}。',
  ],
  'reason.parallel_branch': [
    'Runs beside {operator}; on {device} the plan takes {delta_ms} longer.',
    '与 {operator} 并行；放到 {device} 方案会延长 {delta_ms}。',
  ],
  'reason.slower_elsewhere': [
    'On any other device the plan takes longer, on {device} by {delta_ms}.',
    '放到其他设备方案都会变慢，在 {device} 上延长 {delta_ms}。',
  ],
  'reason.saves_energy': [
    'Saves {saved_j} against {device}, where the plan would be {faster_ms} faster.',
    '比 {device} 省 {saved_j}；放到 {device} 方案会快 {faster_ms}。',
  ],
  'reason.saves_energy_only': ['Saves {saved_j} against {device} at the same plan time.', '比 {device} 省 {saved_j}，方案时间不变。'],
  'reason.balance': [
    'Keeps the load even: on {device} the variance is {delta_load_balance} higher, though the plan is {faster_ms} faster.',
    '保持负载均衡：放到 {device} 方差增加 {delta_load_balance}，但方案会快 {faster_ms}。',
  ],
  'reason.balance_only': [
    'Keeps the load even: on {device} the variance is {delta_load_balance} higher.',
    '保持负载均衡：放到 {device} 方差增加 {delta_load_balance}。',
  ],
  'reason.trade_off': [
    '{device} would be {faster_ms} faster, at the price of {saved_j} and {delta_load_balance} more variance.',
    '放到 {device} 会快 {faster_ms}，但多用 {saved_j}，方差增加 {delta_load_balance}。',
  ],
  'reason.trade_off_only': [
    'On {device} the plan takes {saved_j} more energy and has {delta_load_balance} more variance.',
    '放到 {device} 会多用 {saved_j}，方差增加 {delta_load_balance}。',
  ],
  'reason.equal_elsewhere': ['{device} is equal: moving it there changes nothing.', '与 {device} 等价：移过去没有变化。'],
  'reason.better_elsewhere': [
    'The search missed this: on {device} the plan would {gains}.',
    '搜索遗漏：移到 {device} 方案会{gains}。',
  ],
  'explorer.gain.delta_ms': ['take {value} less', '快 {value}'],
  'explorer.gain.delta_j': ['save {value}', '省 {value}'],
  'explorer.gain.delta_load_balance': ['be better balanced', '更均衡'],
  'explorer.gain.other': ['need less memory', '少用内存'],
} as const satisfies Catalogue
