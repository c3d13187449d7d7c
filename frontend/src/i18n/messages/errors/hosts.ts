// Hosts of the installation and what runs on their devices.
import type { Catalogue } from '../../format'

export const hosts = {
  'error.host_alive': ['{host} is alive: it would be back at its next heartbeat', '{host} 仍在运行：下一次心跳时会重新出现'],
  'hint.host_alive': ['Stop its processes first.', '请先停止它的进程。'],
} as const satisfies Catalogue
