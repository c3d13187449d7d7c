// All messages of the front end in one typed table; each area keeps its own file.
import { explorerMessages } from '../explorer/messages'
import { commonMessages } from './messages/common'
import { downloadMessages } from './messages/download'
import { errorMessages } from './messages/errors'
import { graphMessages } from './messages/graph'
import { calibrationMessages } from './messages/calibrations'
import { hardwareMessages } from './messages/hardware'
import { homeMessages } from './messages/home'
import { machineMessages } from './messages/machines'
import { modelMessages } from './messages/models'
import { poolMessages } from './messages/pools'
import { profileMessages } from './messages/profiles'
import { reviewMessages } from './messages/reviews'
import { teamMessages } from './messages/team'
import { trainingMessages } from './messages/training'
import { trialMessages } from './messages/trials'

export const catalogue = {
  ...commonMessages,
  ...errorMessages,
  ...downloadMessages,
  ...graphMessages,
  ...calibrationMessages,
  ...machineMessages,
  ...hardwareMessages,
  ...homeMessages,
  ...modelMessages,
  ...poolMessages,
  ...profileMessages,
  ...reviewMessages,
  ...teamMessages,
  ...trainingMessages,
  ...trialMessages,
  ...explorerMessages,
} as const

export type MessageKey = keyof typeof catalogue
