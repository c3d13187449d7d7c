// The team: members, invitations, tokens, webhooks, the audit log, and the caller's own profile.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import { keys } from './queries'
import type { components } from './schema'

type Schemas = components['schemas']
export type Team = Schemas['Team']
export type Member = Schemas['Member']
export type Role = Schemas['TeamRole']
export type Invite = Schemas['Invite']
export type Token = Schemas['Token']
export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['Delivery']
export type AuditEvent = Schemas['AuditEvent']

export const ROLES: readonly Role[] = ['owner', 'planner', 'reviewer', 'viewer']
export const EVENTS = [
  'review.requested',
  'review.approved',
  'review.changes_requested',
  'review.withdrawn',
  'review.stale',
  'comment.created',
  'thread.resolved',
] as const
export type EventName = (typeof EVENTS)[number]

const key = {
  team: ['team'] as const,
  members: ['team', 'members'] as const,
  invites: ['team', 'invites'] as const,
  tokens: ['team', 'tokens'] as const,
  webhooks: ['team', 'webhooks'] as const,
  deliveries: (id: string) => ['team', 'webhooks', id] as const,
  audit: (action: string, denied: boolean, offset: number) => ['team', 'audit', action, denied, offset] as const,
  profile: ['profile'] as const,
}
export const AUDIT_PAGE = 25

export function useTeam() {
  return useQuery({ queryKey: key.team, queryFn: ({ signal }) => unwrap(api.GET('/api/team/', { signal })) })
}

export function useMembers() {
  return useQuery({ queryKey: key.members, queryFn: ({ signal }) => unwrap(api.GET('/api/team/members/', { signal })) })
}

export function useInvites() {
  return useQuery({ queryKey: key.invites, queryFn: ({ signal }) => unwrap(api.GET('/api/team/invites/', { signal })) })
}

export function useTokens() {
  return useQuery({ queryKey: key.tokens, queryFn: ({ signal }) => unwrap(api.GET('/api/tokens/', { signal })) })
}

export function useWebhooks() {
  return useQuery({ queryKey: key.webhooks, queryFn: ({ signal }) => unwrap(api.GET('/api/webhooks/', { signal })) })
}

export function useDeliveries(id: string) {
  return useQuery({
    queryKey: key.deliveries(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/webhooks/{webhook_id}/deliveries/', {
          signal,
          params: { path: { webhook_id: id }, query: { limit: 20 } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.results.some((one) => one.state === 'waiting') ? 2000 : false),
  })
}

export function useAudit(action: string, denied: boolean, offset: number) {
  return useQuery({
    queryKey: key.audit(action, denied, offset),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/audit/', {
          signal,
          params: { query: { limit: AUDIT_PAGE, offset, ...(action && { action }), ...(denied && { denied }) } },
        }),
      ),
  })
}

export function useProfile() {
  return useQuery({
    queryKey: key.profile,
    queryFn: ({ signal }) => unwrap(api.GET('/api/session/profile/', { signal })),
  })
}

/** A change of the team; everything that the page shows of it is read again, and the session with it. */
function useChange<Asked, Answer>(act: (asked: Asked) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: key.team })
      void client.invalidateQueries({ queryKey: key.profile })
      void client.invalidateQueries({ queryKey: keys.session })
    },
  })
}

export function useChangeTeam() {
  return useChange((body: Schemas['PatchedTeamRequest']) => unwrap(api.PATCH('/api/team/', { body })))
}

export function useChangeRole() {
  return useChange(({ id, role }: { id: string; role: Role }) =>
    unwrap(api.PATCH('/api/team/members/{member_id}/', { params: { path: { member_id: id } }, body: { role } })),
  )
}

export function useRemoveMember() {
  return useChange((id: string) =>
    unwrap(api.DELETE('/api/team/members/{member_id}/', { params: { path: { member_id: id } } })),
  )
}

export function useLeave() {
  return useChange(() => unwrap(api.POST('/api/team/leave/')))
}

export function useMakeInvite() {
  return useChange((body: Schemas['InviteAskedRequest']) => unwrap(api.POST('/api/team/invites/', { body })))
}

export function useRevokeInvite() {
  return useChange((id: string) =>
    unwrap(api.DELETE('/api/team/invites/{invite_id}/', { params: { path: { invite_id: id } } })),
  )
}

export function useMakeToken() {
  return useChange((body: Schemas['TokenAskedRequest']) => unwrap(api.POST('/api/tokens/', { body })))
}

export function useRevokeToken() {
  return useChange((id: string) => unwrap(api.DELETE('/api/tokens/{token_id}/', { params: { path: { token_id: id } } })))
}

export function useMakeWebhook() {
  return useChange((body: Schemas['WebhookAskedRequest']) => unwrap(api.POST('/api/webhooks/', { body })))
}

export function useChangeWebhook() {
  return useChange(({ id, ...body }: Schemas['PatchedWebhookAskedRequest'] & { id: string }) =>
    unwrap(api.PATCH('/api/webhooks/{webhook_id}/', { params: { path: { webhook_id: id } }, body })),
  )
}

export function useDeleteWebhook() {
  return useChange((id: string) =>
    unwrap(api.DELETE('/api/webhooks/{webhook_id}/', { params: { path: { webhook_id: id } } })),
  )
}

export function useNewSecret() {
  return useChange((id: string) =>
    unwrap(api.POST('/api/webhooks/{webhook_id}/secret/', { params: { path: { webhook_id: id } } })),
  )
}

export function usePing() {
  return useChange((id: string) =>
    unwrap(api.POST('/api/webhooks/{webhook_id}/ping/', { params: { path: { webhook_id: id } } })),
  )
}

export function useChangeProfile() {
  return useChange((body: Schemas['PatchedProfileRequest']) => unwrap(api.PATCH('/api/session/profile/', { body })))
}

export function useSignInLink() {
  return useMutation({ mutationFn: () => unwrap(api.POST('/api/session/sign-in-link/')) })
}

export function useChooseTeam() {
  return useMutation({
    mutationFn: (team: string) => unwrap(api.POST('/api/session/team/', { body: { team } })),
    // Another team's objects: nothing that is shown or kept holds any more.
    onSuccess: () => window.location.assign('/'),
  })
}

export function useInvitation(secret: string) {
  return useQuery({
    queryKey: ['invitation', secret],
    queryFn: () => unwrap(api.POST('/api/invitations/show/', { body: { secret } })),
    retry: false,
    staleTime: Infinity,
  })
}

export function useAccept() {
  return useMutation({
    mutationFn: (body: Schemas['AcceptRequest']) => unwrap(api.POST('/api/invitations/accept/', { body })),
    onSuccess: () => window.location.assign('/'),
  })
}
