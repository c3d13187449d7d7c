// The page ModelsPage.
export function ModelsPage() {
  return <main className="page" id="main" tabIndex={-1} />
}
