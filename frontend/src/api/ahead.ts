// Answers that an address needs, asked for before the page that shows them is there: beside the session and the page's code.

/** An answer that nobody has taken after this long is forgotten: it would be old. */
const KEPT_MS = 10_000

const asked = new Map<string, Promise<unknown>>()
let opening = true

/** The session is known: from now on pages ask for themselves as soon as anybody could, and get what is new. */
export function endAhead(): void {
  opening = false
}

/** Ask now, while the document opens, unless it has been asked already. */
export function askAhead(key: string, ask: () => Promise<unknown>): void {
  if (!opening || asked.has(key)) return
  const answer = ask()
  answer.catch(() => undefined) // who takes it asks again
  asked.set(key, answer)
  setTimeout(() => {
    if (asked.get(key) === answer) asked.delete(key)
  }, KEPT_MS)
}

/** What was asked for ahead, once: where it was not, failed or does not `suit`, it is asked for now. */
export async function takeAhead<T>(key: string, ask: () => Promise<T>, suits: (answer: T) => boolean = () => true): Promise<T> {
  const answer = asked.get(key) as Promise<T> | undefined
  if (!answer) return ask()
  asked.delete(key)
  const taken = await answer.catch(() => null)
  return taken !== null && suits(taken) ? taken : ask()
}
