// Drawings as SVG: the same calls as on a canvas, in the document's coordinates.
import { describe, expect, it } from 'vitest'

import { SvgContext } from '../svg-context'

const parsed = (g: SvgContext, title = 't') => new DOMParser().parseFromString(g.svg(title), 'image/svg+xml').documentElement

describe('a drawing as SVG', () => {
  it('moves and scales what is drawn, and restores', () => {
    const g = new SvgContext(100, 50, null)
    g.save()
    g.translate(10, 5)
    g.scale(2, 2)
    g.fillStyle = '#123456'
    g.fillRect(1, 2, 3, 4)
    g.restore()
    g.fillRect(0, 0, 1, 1)
    const [first, second] = parsed(g).querySelectorAll('rect')
    expect(['x', 'y', 'width', 'height', 'fill'].map((key) => first?.getAttribute(key))).toEqual(['12', '9', '6', '8', '#123456'])
    expect(second?.getAttribute('fill')).toBe('#000')
  })

  it('keeps hostile names as text', () => {
    const g = new SvgContext(10, 10, null)
    g.fillText('</text><script>alert(1)</script>\u0000&"', 1, 2)
    const root = parsed(g, '<b>')
    expect(root.querySelector('script')).toBeNull()
    expect(root.querySelector('parsererror')).toBeNull()
    expect(root.querySelector('text')?.textContent).toBe('</text><script>alert(1)</script> &"')
  })

  it('clips, strokes dashed, and nests clips', () => {
    const g = new SvgContext(10, 10, null)
    g.beginPath()
    g.rect(0, 0, 5, 5)
    g.clip()
    g.beginPath()
    g.rect(1, 1, 2, 2)
    g.clip()
    g.setLineDash([2, 1])
    g.globalAlpha = 0.5
    g.beginPath()
    g.moveTo(0, 0)
    g.lineTo(3, 4)
    g.stroke()
    const root = parsed(g)
    expect(root.querySelectorAll('clipPath')).toHaveLength(2)
    expect(root.querySelectorAll('clipPath')[1]?.querySelector('path')?.getAttribute('clip-path')).toBe('url(#c0)')
    const line = [...root.children].at(-1)
    expect(['d', 'stroke-dasharray', 'opacity', 'clip-path'].map((key) => line?.getAttribute(key))).toEqual(['M0 0L3 4', '2 1', '0.5', 'url(#c1)'])
  })
})
