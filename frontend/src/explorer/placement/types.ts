/** A placement's evaluation as the API gives it. */
import type { components } from '../../api/schema'

export type EvaluatedPlan = components['schemas']['EvaluatedPlan']
