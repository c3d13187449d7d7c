// Types for the parts of plotly.js that we bundle; the package types describe the full build.
declare module 'plotly.js/lib/core' {
  import type * as Plotly from 'plotly.js'

  const core: typeof Plotly & { register: (modules: unknown[]) => void }
  export default core
}

declare module 'plotly.js/lib/scatter3d' {
  const trace: unknown
  export default trace
}
