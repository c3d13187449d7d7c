// Our plotly bundle: the core and 3-D scatter only.
import Plotly from 'plotly.js/lib/core'
import scatter3d from 'plotly.js/lib/scatter3d'

Plotly.register([scatter3d])

export default Plotly
