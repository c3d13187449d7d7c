// The workspace.
export function HomePage() {
  return <main className="page" id="main" tabIndex={-1} />
}
