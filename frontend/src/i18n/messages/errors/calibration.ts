// Calibrations: cases, bundles, measuring and what is learned from it.
import type { Catalogue } from '../../format'

export const calibration = {
  'error.facts_invalid': ['The description of an operator cannot be used: {field}: {says}', '算子描述无法使用：{field}：{says}'],
  'hint.facts_invalid': ['Write the cases and the bundle again with one version of HeteroOpt.', '请用同一版本的 HeteroOpt 重新生成测试用例和校准文件。'],
  'error.bundle_invalid': ['The calibration cannot be used: {where}: {says}', '校准文件无法使用：{where}：{says}'],
  'hint.bundle_invalid': ['Calibrate the device again, and upload the file as the calibrator wrote it.', '请重新校准设备，并原样上传校准程序生成的文件。'],
  'error.bundle_too_large': ['The calibration has more than {limit_bytes} bytes', '校准文件超过 {limit_bytes} 字节'],
  'hint.bundle_too_large': ['Calibrate with fewer cases.', '请减少校准用例。'],
  'error.bundle_unreadable': ['The calibration is no readable JSON: {says}', '校准文件不是可读取的 JSON：{says}'],
  'hint.bundle_unreadable': ['Upload the file as the calibrator wrote it.', '请原样上传校准程序生成的文件。'],
  'error.bundle_changed': ['The calibration was changed after it was written: its hash does not fit its content', '校准文件在生成后被修改：哈希与内容不符'],
  'hint.bundle_changed': ['Upload the file as the calibrator wrote it.', '请原样上传校准程序生成的文件。'],
  'error.bundle_other_device': ['A calibration of {other} does not continue one of {device}', '{other} 的校准不能接续 {device} 的校准'],
  'hint.bundle_other_device': ['Keep it as a calibration of its own; figures of two devices are never mixed.', '请将其作为独立的校准；两个设备的数据不会混用。'],
  'error.operator_not_rebuilt': ['The operator {operator} ({op_type}) cannot be run alone: {says}', '算子 {operator}（{op_type}）无法单独运行：{says}'],
  'hint.operator_not_rebuilt': ["Its cost comes from operators like it, or from the device's figures.", '其成本取自相似的算子或设备参数。'],
} as const satisfies Catalogue
