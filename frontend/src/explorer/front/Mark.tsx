/** The marks of A, B, the default plan, the knee and the weighted pick, the same in every SVG view. */
export function PlanMark({ x, y, which }: { x: number; y: number; which: 'A' | 'B' | 'default' | 'knee' | 'pick' }) {
  if (which === 'default') return <path className="xp-mark-default" d={`M${x} ${y - 5}l5 5-5 5-5-5z`} />
  // Around the discs of A and B, so that both can be seen at one place.
  if (which === 'knee') return <path className="xp-mark-open" data-mark="knee" d={`M${x - 8} ${y - 8}h16v16h-16z`} />
  if (which === 'pick') return <path className="xp-mark-open" data-mark="pick" d={`M${x} ${y - 11}l10 17h-20z`} />
  return (
    <g className={which === 'A' ? 'xp-mark-a' : 'xp-mark-b'}>
      <circle cx={x} cy={y} r={7} />
      <text x={x} y={y + 3.5} textAnchor="middle">
        {which}
      </text>
    </g>
  )
}
