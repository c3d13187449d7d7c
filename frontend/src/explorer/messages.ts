// Texts of the explorer, English and Simplified Chinese side by side.
import { certaintyTexts } from './texts/certainty'
import { chooseTexts } from './texts/choose'
import { frontTexts } from './texts/front'
import { helpTexts } from './texts/help'
import { placementTexts } from './texts/placement'
import { planTexts } from './texts/plan'
import { proofTexts } from './texts/proof'
import { reasonTexts } from './texts/reasons'
import { runningTexts } from './texts/running'
import { steerTexts } from './texts/steer'
import { whatIfTexts } from './texts/whatif'
import { workTexts } from './texts/work'

export const explorerMessages = {
  ...certaintyTexts,
  ...chooseTexts,
  ...frontTexts,
  ...helpTexts,
  ...placementTexts,
  ...planTexts,
  ...proofTexts,
  ...workTexts,
  ...runningTexts,
  ...reasonTexts,
  ...steerTexts,
  ...whatIfTexts,
} as const
