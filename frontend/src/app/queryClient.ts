// How answers are cached: retries only where one can help, and a lost session is noticed everywhere.
import { QueryCache, QueryClient } from '@tanstack/react-query'

import { ApiError } from '../api/errors'
import { keys } from '../api/queries'

/** A session that ended answers 401, or 403 with this code. */
function isSignedOut(error: ApiError): boolean {
  return error.status === 401 || error.code === 'not_authenticated'
}

export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (error instanceof ApiError && isSignedOut(error) && query.queryKey[0] !== keys.session[0]) {
          void client.resetQueries({ queryKey: keys.session })
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => error instanceof ApiError && (error.status === 0 || error.status >= 500) && failures < 2,
      },
    },
  })
  return client
}
