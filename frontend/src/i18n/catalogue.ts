// All messages of the front end in one typed table. Pages load those of their areas, in the language in use: see texts.ts.
// Only its types and the tests may use this file: importing its values would put every text into one part.
import { explorerMessages } from '../explorer/messages'
import { auditMessages } from './messages/audit'
import { calibrationMessages } from './messages/calibrations'
import { commonMessages } from './messages/common'
import { downloadMessages } from './messages/download'
import { errorMessages } from './messages/errors'
import { session } from './messages/errors/session'
import { graphMessages } from './messages/graph'
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

/** What is there from the start, in both languages: the bar, the workspace, and what can go wrong without a server. */
export const shell = { ...commonMessages, ...homeMessages, ...session } as const

/** What is loaded together. A new file of messages belongs to one of these; a page names its areas in the router. */
export const areas = {
  errors: errorMessages,
  explorer: explorerMessages,
  graph: graphMessages,
  models: modelMessages,
  pools: { ...poolMessages, ...machineMessages, ...calibrationMessages },
  profiles: profileMessages,
  hardware: hardwareMessages,
  reviews: reviewMessages,
  team: { ...teamMessages, ...auditMessages },
  training: trainingMessages,
  download: { ...downloadMessages, ...trialMessages },
} as const

export const catalogue = {
  ...shell,
  ...areas.errors,
  ...areas.explorer,
  ...areas.graph,
  ...areas.models,
  ...areas.pools,
  ...areas.profiles,
  ...areas.hardware,
  ...areas.reviews,
  ...areas.team,
  ...areas.training,
  ...areas.download,
} as const

export type Area = keyof typeof areas
export type MessageKey = keyof typeof catalogue
