// Fills a message: {name}, {name, number, 2}, {name, plural, one {# plan} other {# plans}}.

/** A message in both languages. */
export type Bilingual = readonly [en: string, zh: string]
export type Catalogue = Readonly<Record<string, Bilingual>>
export type Params = Readonly<Record<string, string | number>>
export type Lang = 'en' | 'zh'

type Identifier<S extends string> = S extends '' | `#${string}` | `${string} ${string}` | `${string}{${string}` ? never : S
type NameIn<S extends string> = S extends `${infer Name}, ${'plural' | 'number'},${string}`
  ? Identifier<Name>
  : S extends `${string},${string}`
    ? never
    : Identifier<S>
/** The parameter names of a template, at the type level. Plural branches must be more than one bare word. */
export type ParamNames<T extends string> = T extends `${string}{${infer Inner}}${infer Rest}`
  ? NameIn<Inner> | ParamNames<Rest>
  : never

export const LOCALES: Record<Lang, string> = { en: 'en-US', zh: 'zh-CN' }

type Part =
  | string
  | { kind: 'value'; name: string; digits: number | null }
  | { kind: 'plural'; name: string; branches: Record<string, Part[]> }
  | { kind: 'hash' }

class MessageSyntaxError extends Error {}

function parse(text: string): Part[] {
  let at = 0

  function sequence(nested: boolean): Part[] {
    const parts: Part[] = []
    let plain = ''
    const flush = () => {
      if (plain) parts.push(plain)
      plain = ''
    }
    while (at < text.length && !(nested && text[at] === '}')) {
      const char = text[at] ?? ''
      if (char === '{') {
        flush()
        at += 1
        parts.push(argument())
      } else if (char === '#' && nested) {
        flush()
        at += 1
        parts.push({ kind: 'hash' })
      } else {
        plain += char
        at += 1
      }
    }
    flush()
    return parts
  }

  function until(stops: string): string {
    const start = at
    while (at < text.length && !stops.includes(text[at] ?? '')) at += 1
    return text.slice(start, at).trim()
  }

  function close(): void {
    if (text[at] !== '}') throw new MessageSyntaxError(`"}" expected at ${at} in: ${text}`)
    at += 1
  }

  function argument(): Part {
    const name = until(',}')
    if (!/^\w+$/.test(name)) throw new MessageSyntaxError(`Bad parameter name "${name}" in: ${text}`)
    if (text[at] === '}') {
      close()
      return { kind: 'value', name, digits: null }
    }
    at += 1
    const type = until(',}')
    at += 1
    if (type === 'number') {
      const digits = Number(until('}'))
      close()
      return { kind: 'value', name, digits }
    }
    if (type !== 'plural') throw new MessageSyntaxError(`Unknown type "${type}" in: ${text}`)
    const branches: Record<string, Part[]> = {}
    for (;;) {
      const key = until('{}')
      if (text[at] !== '{') break
      at += 1
      branches[key] = sequence(true)
      close()
    }
    close()
    if (!branches.other) throw new MessageSyntaxError(`Plural without "other" in: ${text}`)
    return { kind: 'plural', name, branches }
  }

  return sequence(false)
}

const parsed = new Map<string, Part[]>()

function partsOf(text: string): Part[] {
  let parts = parsed.get(text)
  if (!parts) {
    parts = parse(text)
    parsed.set(text, parts)
  }
  return parts
}

/** Making a format takes a hundred times as long as using it. */
function kept<K, T>(make: (key: K) => T): (key: K) => T {
  const made = new Map<K, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}

const numbersOf = kept((lang: Lang) =>
  kept((digits: number | null) =>
    new Intl.NumberFormat(LOCALES[lang], digits === null ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  ),
)
const pluralsOf = kept((lang: Lang) => new Intl.PluralRules(LOCALES[lang]))

function show(value: string | number, lang: Lang, digits: number | null): string {
  return typeof value === 'string' ? value : numbersOf(lang)(digits).format(value)
}

function fill(parts: Part[], lang: Lang, params: Params, hash: number | null): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if (part.kind === 'hash') return hash === null ? '#' : show(hash, lang, null)
      const value = params[part.name]
      if (part.kind === 'value') return value === undefined ? `{${part.name}}` : show(value, lang, part.digits)
      const count = Number(value)
      const rule = pluralsOf(lang).select(count)
      const branch = part.branches[`=${count}`] ?? part.branches[rule] ?? part.branches.other ?? []
      return fill(branch, lang, params, count)
    })
    .join('')
}

/** Returns `template` with its parameters filled in; a parameter that is missing stays visible as `{name}`. */
export function formatMessage(template: string, lang: Lang, params: Params = {}): string {
  return fill(partsOf(template), lang, params, null)
}

/** The parameter names of a template, sorted; raises on a malformed one. Used by the completeness test. */
export function paramNames(template: string): string[] {
  const names = new Set<string>()
  const walk = (parts: Part[]) => {
    for (const part of parts) {
      if (typeof part === 'string' || part.kind === 'hash') continue
      names.add(part.name)
      if (part.kind === 'plural') Object.values(part.branches).forEach(walk)
    }
  }
  walk(parse(template))
  return [...names].sort()
}
