// Texts of the drawing of a graph.
import type { Catalogue } from '../format'

export const graphMessages = {
  'graph.label': ['Graph of {name}', '{name} 的计算图'],
  'graph.keys': [
    'Arrows follow the edges and the levels, Shift and arrows move the view, plus and minus zoom, 0 fits all, Enter opens or folds a scope, Escape ends the selection. The same operators and edges stand in the tables below.',
    '方向键沿边和层级移动，Shift 加方向键平移视图，加号和减号缩放，0 显示全部，Enter 展开或折叠作用域，Esc 取消选择。下方表格列有相同的算子和边。',
  ],
  'graph.hint': [
    'Drag to move; the wheel zooms after a click, or with Ctrl. Bar: share of the compute of the heaviest. Double click folds a scope or opens it.',
    '拖动平移；单击后或按住 Ctrl 滚轮缩放。底边条：相对最重节点的计算量。双击折叠或展开作用域。',
  ],
  'graph.keys.placed': [
    'Arrows follow the edges and the levels, Shift and arrows move the view, plus and minus zoom, 0 fits all, Enter goes to the details of the operator or opens a folded scope, Escape ends the selection. The same operators stand in the Operators tab.',
    '方向键沿边和层级移动，Shift 加方向键平移视图，加号和减号缩放，0 显示全部，Enter 查看算子明细或展开折叠的作用域，Esc 取消选择。“算子”页列有相同的算子。',
  ],
  'graph.hint.placed': [
    'Drag to move; the wheel zooms. Strong edges cross devices, wider for more bytes. Double click folds a scope or opens it.',
    '拖动平移；滚轮缩放。粗边跨设备，字节越多越宽。双击折叠或展开作用域。',
  ],
  'graph.loading': ['The graph is loading', '正在加载计算图'],
  'graph.fold': ['Scopes', '作用域'],
  'graph.fold.at': ['Folded at level {depth} · {n, plural, one {# node} other {# nodes}}', '折叠到第 {depth} 层 · {n} 个节点'],
  'graph.fold.none': ['All open · {n, plural, one {# node} other {# nodes}}', '全部展开 · {n} 个节点'],
  'graph.fold.own': ['As chosen · {n, plural, one {# node} other {# nodes}}', '自选 · {n} 个节点'],
  'graph.layingOut': ['Laying out {n, plural, one {# node} other {# nodes}} …', '正在布局 {n} 个节点……'],
  'graph.stop': ['Stop', '停止'],
  'graph.stopped': ['The layout was stopped. The table below lists every operator.', '布局已停止。下方表格列出全部算子。'],
  'graph.failed': ['The graph cannot be laid out: {reason}. The table below lists every operator.', '无法布局该图：{reason}。下方表格列出全部算子。'],
  'graph.again': ['Draw it', '绘制'],
  'graph.shown': ['{n, plural, one {# node} other {# nodes}} shown', '显示 {n} 个节点'],
  'graph.out': ['Zoom out', '缩小'],
  'graph.in': ['Zoom in', '放大'],
  'graph.fit': ['Fit', '适应'],
  'graph.find': ['Find by name or type', '按名称或类型查找'],
  'graph.none': ['No match', '无匹配'],
  'graph.match': ['{at} of {n}', '第 {at} 个，共 {n} 个'],
  'graph.previous': ['Previous match', '上一个匹配'],
  'graph.next': ['Next match', '下一个匹配'],
  'graph.open': ['Open', '展开'],
  'graph.foldScope': ['Fold {scope}', '折叠 {scope}'],
  'graph.part': ['part {part} of {parts}', '第 {part} 部分，共 {parts} 部分'],
  'graph.edges': ['in {reads}, out {writes}', '输入 {reads}，输出 {writes}'],
  'model.find.count': ['{n, plural, one {# operator} other {# operators}}', '{n} 个算子'],
} as const satisfies Catalogue
