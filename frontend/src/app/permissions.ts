// What the signed-in person may do; the server decides, this only spares a refused click.
import type { Session } from '../api/types'

/** Whether the person may upload, edit pools and start searches. */
export function canPlan(session: Session | undefined): boolean {
  return session?.permissions.includes('plan') ?? false
}
