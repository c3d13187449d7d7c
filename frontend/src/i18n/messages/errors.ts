// Server errors, remarks and reasons by code, and what to do about them: every code of codes.json has its texts here or,
// where it concerns the connection or a job, in errors/session.ts, which every page has.
import { calibration } from './errors/calibration'
import { details } from './errors/details'
import { engine } from './errors/engine'
import { exports } from './errors/exports'
import { formats } from './errors/formats'
import { hosts } from './errors/hosts'
import { models } from './errors/models'
import { notes } from './errors/notes'
import { placements } from './errors/placements'
import { pools } from './errors/pools'
import { reviews } from './errors/reviews'
import { runtimes } from './errors/runtimes'
import { searches } from './errors/searches'
import { tables } from './errors/tables'
import { training } from './errors/training'
import { trials } from './errors/trials'
import { uploads } from './errors/uploads'

export const errorMessages = {
  ...uploads,
  ...models,
  ...tables,
  ...pools,
  ...runtimes,
  ...hosts,
  ...calibration,
  ...reviews,
  ...searches,
  ...placements,
  ...exports,
  ...formats,
  ...trials,
  ...training,
  ...engine,
  ...details,
  ...notes,
} as const
