// The page ModelRoute.
export function ModelRoute() {
  return <main className="page" id="main" tabIndex={-1} />
}
