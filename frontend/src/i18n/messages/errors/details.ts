// The sentence inside another error, by the `detail` of its parameters.
import type { Catalogue } from '../../format'

export const details = {
  'detail.number_too_long': ['a number in it is longer than ten bytes', '其中有数字长于十个字节'],
  'detail.number_cut_off': ['it ends in the middle of a number', '文件在数字中间结束'],
  'detail.field_type_unknown': ['it holds a field of a type that ONNX does not use', '含有 ONNX 不使用的字段类型'],
  'detail.file_cut_off': ['it is cut off, or a length in it is wrong', '文件被截断，或其中的长度有误'],
  'detail.parser_refuses': ['the parser refuses it', '解析器拒绝此文件'],
  'detail.function_call': ['a call of one of its functions does not fit the function', '对其中一个函数的调用与该函数不符'],
  'detail.function_twice': ['it defines one of its functions twice', '其中一个函数被定义了两次'],
  'detail.no_graph': ['it holds no graph', '其中没有计算图'],
  'detail.reader_defect': ['a defect in the reader stopped the reading', '读取程序的缺陷使读取中止'],
  'detail.json_syntax': ['line {line}, column {column} is not JSON', '第 {line} 行第 {column} 列不是 JSON'],
  'detail.json_limits': ['a number in it is too long, or it is nested too deeply', '其中的数字过长，或嵌套过深'],
  'detail.json_nested': ['it is nested too deeply', '嵌套过深'],
  'detail.json_number': ['NaN and infinity are not numbers in JSON', 'JSON 中 NaN 和无穷不是数'],
  'detail.json_repeated': ['a key is given twice in one object', '同一对象中有重复的键'],
  'detail.csv_syntax': ['line {line} is not CSV', '第 {line} 行不是 CSV'],
  'detail.not_utf8': ['it is not UTF-8 text', '不是 UTF-8 文本'],
  'detail.file_failed': ['the file cannot be opened', '无法打开文件'],
  'detail.too_large': ['it is larger than {limit_bytes} bytes', '超过 {limit_bytes} 字节'],
  'detail.no_rows': ['it is neither a list of rows nor a mapping of operators to devices', '既不是行的列表，也不是算子到设备的映射'],
  'detail.cells': [
    '{cells, plural, one {it has # cell} other {it has # cells}}, the heading has {headings}',
    '有 {cells} 个单元格，而标题有 {headings} 个',
  ],
  'detail.order_not_whole': ['its order {order} is not a whole number', '顺序 {order} 不是整数'],
  'detail.no_object': ['it is no object', '不是对象'],
  'detail.unknown_keys': ['it has unknown keys: {keys}', '含有未知的键：{keys}'],
  'detail.names_missing': ['operator and device must be names', '算子和设备应为名称'],
  'detail.names_empty': ['the operator or the device is empty', '算子或设备为空'],
} as const satisfies Catalogue
