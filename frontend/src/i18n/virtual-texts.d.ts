// What tools/texts.ts makes of the catalogue: one module for each area and language.
declare module 'virtual:texts' {
  type Loader = () => Promise<{ default: Readonly<Record<string, string>> }>
  export const loaders: Readonly<Record<import('./catalogue').Area, Readonly<Record<import('./format').Lang, Loader>>>>
}
