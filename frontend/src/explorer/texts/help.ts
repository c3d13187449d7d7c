// What the terms of the explorer mean, in a sentence or two each.
import type { Catalogue } from '../../i18n/format'

export const helpTexts = {
  'help.about': ['What is this? {term}', '说明：{term}'],
  'help.front': ['Pareto front', '帕累托前沿'],
  'help.front.text': [
    'The plans that no other plan beats: whichever you take, a better value of one objective costs you something of another.',
    '没有被其他方案全面超过的方案：无论选哪一个，要改善一个目标，就要在另一个目标上付出代价。',
  ],
  'help.knee': ['Knee', '拐点'],
  'help.knee.text': [
    'The plan where the front bends most: from here, a little more of one objective costs much of another. It is the one farthest from the plane through the best plans of each objective.',
    '前沿弯曲最大处的方案：从这里再改善一个目标，另一个目标就要付出很多。它离各目标最优方案所在的平面最远。',
  ],
  'help.hypervolume': ['Hypervolume', '超体积'],
  'help.hypervolume.text': [
    'How much of the space of objectives the front dominates, in multiples of the default plan up to a fixed corner. More is better; it rises while the search still finds better plans, and levels off when it does not.',
    '前沿在目标空间中支配的体积，以默认方案的倍数计，算到一个固定角点。越大越好；搜索仍在找到更优方案时上升，找不到时趋于平稳。',
  ],
  'help.makespan': ['Time (makespan)', '执行时间（makespan）'],
  'help.makespan.text': [
    'From the start of the first operator to the end of the last, with transfers between devices and launches.',
    '从第一个算子开始到最后一个算子结束的时间，包括设备间传输和启动开销。',
  ],
  'help.energy': ['Energy', '能耗'],
  'help.energy.text': [
    'Joules that operators and transfers take in one run of the model. The plan says where the figures are from.',
    '模型运行一次，算子与传输消耗的焦耳数。方案中注明了数据来源。',
  ],
  'help.balance': ['Balance (load balance)', '均衡方差（负载均衡）'],
  'help.balance.text': [
    'Variance of how busy the devices are, each as a share of the time. 0 means that all are equally busy.',
    '各设备忙碌时间占比的方差。0 表示所有设备同样忙碌。',
  ],
  'help.throughput': ['Throughput', '吞吐量'],
  'help.throughput.text': [
    'Items a second once the pipeline is full: several items run through the plan at once, and the slowest stage sets the pace. More is better.',
    '流水线填满后每秒完成的数据项数：多个数据项同时通过方案，最慢的一段决定速度。越高越好。',
  ],
  'help.p99': ['P99 latency', 'P99 延迟'],
  'help.p99.text': [
    'From arrival to answer, the time that 99 of 100 items stay below at the arrival rate that you gave, waiting included.',
    '在给定到达率下，100 项中有 99 项从到达到完成不超过的时间，包括等待。',
  ],
  'help.critical': ['Critical path', '关键路径'],
  'help.critical.text': [
    'The chain of operators and transfers that sets the time of the plan. Only what makes this chain shorter makes the plan faster.',
    '决定方案执行时间的一串算子与传输。只有缩短它，方案才会变快。',
  ],
  'help.segment': ['Segment', '分段'],
  'help.segment.text': [
    'A run of operators that one device executes in one launch. Data that crosses from segment to segment on another device is a cut edge and has to be transferred.',
    '一个设备一次启动连续执行的一组算子。跨到其他设备分段的数据即切边，需要传输。',
  ],
  'help.gap': ['Lower bound and gap', '下界与差距'],
  'help.gap.text': [
    'No plan of this model on this pool can be faster than the lower bound. The gap says how far above it this plan is at most; the bound is loose, so the best plan may be closer.',
    '此模型在此设备池上，任何方案都不会快于下界。差距表示此方案最多高出多少；下界偏松，实际离最优可能更近。',
  ],
  'help.interval': ['Range of the time', '时间区间'],
  'help.interval.text': [
    'Costs are known only so well. With the 90% interval of every operator on the critical path, the measured time is expected within this range. Calibrate the pool to narrow it.',
    '成本只在一定精度内可知。由关键路径上各算子的 90% 区间推算，实测时间预计落在此范围。校准设备池可缩小它。',
  ],
  'help.items': ['Items in flight', '并行处理的数据项'],
  'help.items.text': [
    'Several inputs run through the plan at once: while one is on the second device, the next is on the first. The timeline then shows when each of them runs where, what they hold in memory together, and the critical path: the chain, from item to item, that the last one’s end hangs on. A search keeps the memory of one item within the limit; of several it may be above.',
    '多个数据项同时通过方案：一个在第二个设备上时，下一个已在第一个设备上。时间线显示每一项何时在何处运行、它们共同占用的内存，以及关键路径：最后一项的结束时间所取决于的、跨数据项的链条。搜索只保证单个数据项的内存不超限；多个数据项可能超出。',
  ],
  'help.whatif': ['What-if', '试算'],
  'help.whatif.text': [
    'The plan with operators moved by hand, decoded again so that every figure is right. Nothing is saved until you keep it as a plan; Escape discards it.',
    '手动移动算子后的方案，已重新计算，各项数值准确。存为方案之前不会保存；按 Esc 撤销。',
  ],
  'help.pin': ['Pin', '固定'],
  'help.pin.text': [
    'Holds an operator on a device in the next search. Pins do not change the plans that are here; search again to see what they cost.',
    '在下一次搜索中将算子固定在某个设备上。固定不改变现有方案；再次搜索即可看到其代价。',
  ],
} as const satisfies Catalogue
