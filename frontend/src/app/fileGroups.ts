// Which of the chosen files belong together: a model may keep its weights in other files.
export type UploadKind = 'model' | 'tables' | 'pool'

export interface FileGroup {
  kind: UploadKind
  file: File
  /** External data of the model. */
  data: File[]
}

const ARCHIVE = /\.(zip|tar|tgz|tbz2|txz|tar\.(gz|bz2|xz))$/

/** What a file is, by its name: pools are .toml, tables .json, everything else is offered as a model. */
export function kindOf(fileName: string): UploadKind {
  const name = fileName.toLowerCase()
  if (name.endsWith('.toml')) return 'pool'
  return name.endsWith('.json') ? 'tables' : 'model'
}

function isData(file: File): boolean {
  const name = file.name.toLowerCase()
  return kindOf(name) === 'model' && !name.endsWith('.onnx') && !ARCHIVE.test(name)
}

/**
 * Puts data files to their model: to the only .onnx file, or to the one whose name theirs begins with. What fits to
 * several models or to none goes on its own; the server then says what is missing.
 */
export function groupFiles(files: readonly File[]): FileGroup[] {
  const groups = files.filter((file) => !isData(file)).map((file): FileGroup => ({ kind: kindOf(file.name), file, data: [] }))
  const models = groups.filter(({ file }) => file.name.toLowerCase().endsWith('.onnx'))
  for (const file of files.filter(isData)) {
    const named = models.filter((model) => file.name.startsWith(model.file.name.replace(/\.onnx$/i, '')))
    const [owner, second] = models.length === 1 ? models : named
    if (owner && !second) owner.data.push(file)
    else groups.push({ kind: 'model', file, data: [] })
  }
  return groups
}
