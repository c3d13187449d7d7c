// Server errors by code. A code that is missing here shows the server's own English sentence.
import type { Catalogue } from '../format'

export const errorMessages = {
  'error.offline': ['The server does not answer', '服务器没有响应'],
  'hint.offline': ['Check that HeteroOpt is still running, then try again.', '请确认 HeteroOpt 仍在运行，然后重试。'],
  'error.server_error': ['The server failed on this request', '服务器处理此请求时出错'],
  'hint.server_error': ['Its log has the details. Trying again is safe.', '详情见服务器日志。可以放心重试。'],
  'error.unexpected': ['Something unexpected happened in the page', '页面发生意外错误'],
  'error.not_signed_in': ['You are not signed in', '尚未登录'],
  'error.forbidden': ['Your role does not allow this', '你的角色无权执行此操作'],
  'error.not_found': ['This does not exist', '对象不存在'],
  'error.upload_cancelled': ['Upload cancelled', '上传已取消'],
  'error.file_too_large': ['The file is larger than the server accepts', '文件超过服务器允许的大小'],
} as const satisfies Catalogue
