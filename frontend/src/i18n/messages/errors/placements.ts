// What is wrong with a placement made by hand, and how it was read.
import type { Catalogue } from '../../format'

export const placements = {
  'error.placement_unreadable': ['The placement cannot be read: {reason}', '无法读取放置：{reason}'],
  'hint.placement_unreadable': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_row': ['Row {row}: {reason}', '第 {row} 行：{reason}'],
  'hint.placement_row': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_empty': ['The placement has no rows', '放置没有任何行'],
  'hint.placement_empty': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_columns': ['These columns are not those of a placement: {columns}', '这些列不属于放置：{columns}'],
  'hint.placement_columns': [
    'The first line names the columns: operator, device and, if you like, order.',
    '第一行为列名：operator、device，以及可选的 order。',
  ],
  'error.placement_duplicate': ['Placed more than once ({count}): {operators}', '重复放置（{count}）：{operators}'],
  'hint.placement_duplicate': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_order_duplicate': ['Orders given more than once ({count}): {orders}', '重复的顺序（{count}）：{orders}'],
  'hint.placement_order_duplicate': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_order_partial': [
    'Some operators have an order, these have none ({count}): {operators}',
    '部分算子有顺序，以下没有（{count}）：{operators}',
  ],
  'hint.placement_order_partial': ['Give one row per operator: operator, device, and order for all or none.', '每个算子一行：算子、设备，以及全部填写或全部不填的顺序。'],
  'error.placement_missing': ['The placement leaves out operators ({count}): {operators}', '放置缺少算子（{count}）：{operators}'],
  'error.placement_unknown_operator': ['The model has no such operators ({count}): {operators}', '模型中没有这些算子（{count}）：{operators}'],
  'error.placement_unknown_device': ['The pool has no such devices ({count}): {devices}', '设备池中没有这些设备（{count}）：{devices}'],
  'hint.placement_unknown_device': ['Devices are named as in the plan of the page.', '设备名称应与页面方案中的一致。'],
  'error.placement_unsupported': ['The device does not support ({count}): {operators}', '设备不支持（{count}）：{operators}'],
  'hint.placement_unsupported': ['Place them on a device that does.', '请放到支持它们的设备上。'],
  'error.placement_forbidden': ['The device is forbidden in this search ({count}): {operators}', '此搜索禁用了该设备（{count}）：{operators}'],
  'hint.placement_forbidden': ['Allow it again, or place them elsewhere.', '请重新允许该设备，或放到别处。'],
  'error.placement_pinned': ['Pinned to another device ({count}): {operators}', '已固定在其他设备（{count}）：{operators}'],
  'hint.placement_pinned': ['Place them where they are pinned.', '请放到固定的设备上。'],
  'error.placement_group_split': ['Operators that must share a device are apart: {operators}', '必须同设备的算子被分开：{operators}'],
  'error.placement_precedence': [
    '{operator} (order {order}) reads what {producer} (order {producer_order}) makes, but comes before it',
    '{operator}（顺序 {order}）读取 {producer}（顺序 {producer_order}）的输出，却排在它之前',
  ],
  'hint.placement_precedence': [
    'Put each operator after those whose outputs it reads, or leave the order out.',
    '请将每个算子排在其输入的来源之后，或不填写顺序。',
  ],

  // how a placement was read
  'note.placement_ordered_by_rank': ['No order was given: operators run by longest remaining path.', '未给出顺序：算子按剩余路径最长者优先运行。'],
  'note.placement_unfused': [
    '{count, plural, one {# fused operator is} other {# fused operators are}} apart here, so the plan was computed without fusion: {operators}',
    '{count} 个融合算子在此被拆开，因此方案按未融合计算：{operators}',
  ],
  'note.placement_does_not_fit': ['The placement exceeds a memory.', '此放置超出某个内存。'],
} as const satisfies Catalogue
