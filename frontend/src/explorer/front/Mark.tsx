/** The marks of A, B and the default plan, the same in every SVG view. */
export function PlanMark({ x, y, which }: { x: number; y: number; which: 'A' | 'B' | 'default' }) {
  if (which === 'default') return <path className="xp-mark-default" d={`M${x} ${y - 5}l5 5-5 5-5-5z`} />
  return (
    <g className={which === 'A' ? 'xp-mark-a' : 'xp-mark-b'}>
      <circle cx={x} cy={y} r={7} />
      <text x={x} y={y + 3.5} textAnchor="middle">
        {which}
      </text>
    </g>
  )
}
