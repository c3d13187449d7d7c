// How a host is built: processors, memories, caches and cards as boxes in boxes, links and distances below.
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { boxes, type Box, type Topology, type TopologyNode } from './topology'

function useLabel() {
  const lang = useLang()
  const formats = useFormats()
  return (node: TopologyNode): string => {
    const kind = translateCode('topology', node.kind, {}, node.kind, lang)
    const index = node.attributes.index
    const named = ['package', 'gpu', 'npu', 'machine', 'pcie_device', 'nic', 'pcie_switch'].includes(node.kind)
    const title = named ? `${kind} ${String(node.attributes.interfaces ?? node.name)}` : `${kind} ${String(index ?? '')}`
    return [title.trim(), node.memory_bytes ? formats.bytes(node.memory_bytes) : ''].filter(Boolean).join(' · ')
  }
}

function Nested({ box }: { box: Box }) {
  const label = useLabel()
  const leaf = box.inside.length === 0
  return (
    <li className={`tp-box tp-${box.node.kind}`} data-leaf={leaf || undefined}>
      {box.around.map((node) => (
        <span key={node.id} className="tp-around">
          {label(node)}
        </span>
      ))}
      <span className="tp-name">{label(box.node)}</span>
      {!leaf && (
        <ul>
          {box.inside.map((inner) => (
            <Nested key={inner.node.id} box={inner} />
          ))}
        </ul>
      )}
    </li>
  )
}

export function TopologyBoxes({ topology }: { topology: Topology }) {
  const t = useT()
  const formats = useFormats()
  const names = new Map(topology.nodes.map((node) => [node.id, node.name]))
  const { nodes, matrix } = topology.distances
  return (
    <div className="tp">
      <ul>
        {boxes(topology).map((box) => (
          <Nested key={box.node.id} box={box} />
        ))}
      </ul>
      {nodes.length > 1 && (
        <div className="scroll-x">
          <table className="tp-matrix">
            <caption>{t('topology.distances')}</caption>
            <thead>
              <tr>
                <td />
                {nodes.map((id) => (
                  <th key={id}>{names.get(id) ?? id}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {matrix.map((row, index) => (
                <tr key={nodes[index]}>
                  <th scope="row">{names.get(nodes[index] ?? '') ?? nodes[index]}</th>
                  {row.map((value, column) => (
                    <td key={nodes[column]} className="num">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {topology.links.length > 0 && (
        <ul className="tp-links small s2">
          {topology.links.map((link) => (
            <li key={`${link.source} ${link.target} ${link.kind}`}>
              {names.get(link.source) ?? link.source} – {names.get(link.target) ?? link.target}: {link.kind}
              {link.bandwidth_gb_per_s !== null && `, ${formats.figure(link.bandwidth_gb_per_s)} GB/s`}
              {link.latency_us !== null && `, ${formats.figure(link.latency_us)} µs`}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
