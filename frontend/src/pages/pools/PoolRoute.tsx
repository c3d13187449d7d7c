// The page PoolRoute.
export function PoolRoute() {
  return <main className="page" id="main" tabIndex={-1} />
}
