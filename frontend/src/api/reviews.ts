// Reviews, their threads and the caller's notifications, as cached queries and changes.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Review = Schemas['Review']
export type ReviewDetail = Schemas['ReviewDetail']
export type Standing = Schemas['ReviewStanding']
export type Reason = Schemas['StaleReason']
export type Thread = Schemas['Thread']
export type Comment = Schemas['Comment']
export type Anchor = Schemas['ShownAnchor']
export type AnchorAsked = Schemas['AnchorRequest']
export type Change = Schemas['Changes']
export type HistoryEvent = Schemas['Event']
export type Notification = Schemas['Notification']
export type Person = Schemas['Person']

const LIVE_MS = 15_000
export const reviewKeys = {
  all: ['reviews'] as const,
  list: ['reviews', 'list'] as const,
  ofSearch: (search: string) => ['reviews', 'search', search] as const,
  one: (id: string) => ['reviews', 'one', id] as const,
  changes: (id: string, of: string) => ['reviews', 'changes', id, of] as const,
  notifications: ['notifications'] as const,
  unread: ['notifications', 'unread'] as const,
}

export function useReviews() {
  return useQuery({
    queryKey: reviewKeys.list,
    queryFn: ({ signal }) => unwrap(api.GET('/api/reviews/', { signal, params: { query: { limit: 200 } } })),
    refetchInterval: LIVE_MS,
  })
}

/** The reviews of one search's plans, for the chip in the explorer. */
export function useReviewsOfSearch(search: string) {
  return useQuery({
    queryKey: reviewKeys.ofSearch(search),
    queryFn: ({ signal }) => unwrap(api.GET('/api/reviews/', { signal, params: { query: { search, limit: 200 } } })),
    refetchInterval: LIVE_MS,
  })
}

export function useReview(id: string) {
  return useQuery({
    queryKey: reviewKeys.one(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/reviews/{review_id}/', { signal, params: { path: { review_id: id } } })),
    refetchInterval: LIVE_MS,
  })
}

/** What changed since the last review; asked for again when something beneath the plan changes. */
export function useChanges(review: ReviewDetail) {
  const of = `${review.round} ${review.reasons.map((reason) => reason.at).join()}`
  return useQuery({
    queryKey: reviewKeys.changes(review.id, of),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/reviews/{review_id}/changes/', { signal, params: { path: { review_id: review.id } } })),
    staleTime: Infinity,
  })
}

/** An act that answers with the review as it is then. */
function useAct<Asked>(act: (asked: Asked) => Promise<ReviewDetail>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (review) => {
      client.setQueryData(reviewKeys.one(review.id), review)
      void client.invalidateQueries({ queryKey: reviewKeys.list })
      void client.invalidateQueries({ queryKey: reviewKeys.ofSearch(review.search.id) })
    },
    // What was refused was often refused because the review has moved on.
    onError: () => void client.invalidateQueries({ queryKey: reviewKeys.all }),
  })
}

export function useOpenReview() {
  return useAct(({ search, plan, hash }: { search: string; plan: number; hash: string }) =>
    unwrap(api.POST('/api/reviews/', { body: { search, plan, hash } })),
  )
}

export function useRequestReview(id: string) {
  return useAct((reviewers: string[]) =>
    unwrap(api.POST('/api/reviews/{review_id}/request/', { params: { path: { review_id: id } }, body: { reviewers } })),
  )
}

export function useWithdraw(id: string) {
  return useAct(() => unwrap(api.POST('/api/reviews/{review_id}/withdraw/', { params: { path: { review_id: id } } })))
}

export function useDecide(review: ReviewDetail) {
  return useAct(({ decision, comment }: { decision: 'approved' | 'changes_requested'; comment?: string }) =>
    unwrap(
      api.POST('/api/reviews/{review_id}/decide/', {
        params: { path: { review_id: review.id } },
        body: { decision, hash: review.plan_hash, round: review.round, ...(comment && { comment }) },
      }),
    ),
  )
}

export function useOpenThread(id: string) {
  return useAct(({ anchor, body }: { anchor: AnchorAsked; body: string }) =>
    unwrap(api.POST('/api/reviews/{review_id}/threads/', { params: { path: { review_id: id } }, body: { anchor, body } })),
  )
}

export function useReply(thread: string) {
  return useAct((body: string) =>
    unwrap(api.POST('/api/threads/{thread_id}/comments/', { params: { path: { thread_id: thread } }, body: { body } })),
  )
}

export function useResolve(thread: string) {
  return useAct((resolved: boolean) =>
    unwrap(
      resolved
        ? api.POST('/api/threads/{thread_id}/resolve/', { params: { path: { thread_id: thread } } })
        : api.POST('/api/threads/{thread_id}/reopen/', { params: { path: { thread_id: thread } } }),
    ),
  )
}

export function useEditComment(comment: string) {
  return useAct((body: string) =>
    unwrap(api.PATCH('/api/comments/{comment_id}/', { params: { path: { comment_id: comment } }, body: { body } })),
  )
}

export function useDeleteComment(comment: string) {
  return useAct(() => unwrap(api.DELETE('/api/comments/{comment_id}/', { params: { path: { comment_id: comment } } })))
}

export function useNotifications() {
  return useQuery({
    queryKey: reviewKeys.notifications,
    queryFn: ({ signal }) => unwrap(api.GET('/api/notifications/', { signal, params: { query: { limit: 100 } } })),
  })
}

export function useUnread(enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: reviewKeys.unread,
    queryFn: ({ signal }) => unwrap(api.GET('/api/notifications/unread/', { signal })),
    refetchInterval: LIVE_MS,
  })
}

/** Marks these notifications as read, or all. */
export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids?: string[]) => unwrap(api.POST('/api/notifications/read/', { body: ids ? { ids } : {} })),
    onSuccess: () => void client.invalidateQueries({ queryKey: reviewKeys.notifications }),
  })
}
