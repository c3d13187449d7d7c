// The explorer of one search.
export default function ExplorerPage({ searchId }: { searchId: string }) {
  return <main className="page" data-search={searchId} />
}
