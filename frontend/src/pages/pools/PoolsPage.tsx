// The page PoolsPage.
export function PoolsPage() {
  return <main className="page" id="main" tabIndex={-1} />
}
