// A bar list: name, bar in proportion to the largest, figure. It is its own table.
export interface BarItem {
  name: string
  value: number
  text: string
}

export function Bars({ items }: { items: readonly BarItem[] }) {
  const most = Math.max(...items.map((item) => item.value), 0)
  return (
    <dl className="bars">
      {items.map((item) => (
        <div className="hb" key={item.name}>
          <dt className="cut" title={item.name}>
            {item.name}
          </dt>
          <i style={{ width: `${most > 0 ? Math.max(0.5, (item.value / most) * 100) : 0}%` }} aria-hidden="true" />
          <dd className="num">{item.text}</dd>
        </div>
      ))}
    </dl>
  )
}
