// Pictures of the page's charts as files: SVG elements with the page's styles written into them, canvases as they are drawn.
import type { PicturedElement, VectorCanvas } from './vector'


export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export function saveText(text: string, name: string, type: string): void {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name)
}

const STYLES = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'stroke-opacity', 'opacity', 'font-family', 'font-size',
  'font-weight', 'text-anchor', 'dominant-baseline', 'paint-order', 'visibility', 'display',
] as const

/** An SVG element of the page with its look written into every part, placed at `x`, `y`. */
function standalone(element: SVGElement, x: number, y: number): SVGElement {
  const copy = element.cloneNode(true) as SVGElement
  const from = [element, ...element.querySelectorAll<SVGElement>('*')]
  const to = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  to.forEach((part, at) => {
    const source = from[at]
    if (!source) return
    const look = getComputedStyle(source)
    part.setAttribute('style', STYLES.map((name) => `${name}:${look.getPropertyValue(name)}`).join(';'))
    part.removeAttribute('class')
  })
  const box = element.getBoundingClientRect()
  copy.setAttribute('x', String(x))
  copy.setAttribute('y', String(y))
  copy.setAttribute('width', String(box.width))
  copy.setAttribute('height', String(box.height))
  return copy
}

/**
 * Everything that is drawn inside `box` as one SVG: its SVG elements as they are, its canvases as pictures, its words as text.
 * `background` is a colour.
 */
export async function pictureOf(box: HTMLElement, background: string, title: string): Promise<string> {
  const frame = box.getBoundingClientRect()
  const root = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  root.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  root.setAttribute('width', String(frame.width))
  root.setAttribute('height', String(frame.height))
  root.setAttribute('viewBox', `0 0 ${frame.width} ${frame.height}`)
  const add = (name: string, attributes: Record<string, string | number>): SVGElement => {
    const part = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value))
    root.append(part)
    return part
  }
  add('title', {}).textContent = title
  add('rect', { width: frame.width, height: frame.height, fill: background })
  const walk = async (element: Element): Promise<void> => {
    const look = getComputedStyle(element)
    const at = element.getBoundingClientRect()
    const [x, y] = [at.left - frame.left, at.top - frame.top]
    if (look.display === 'none' || look.visibility === 'hidden' || at.width === 0 || element.classList.contains('sr')) return
    if (element instanceof SVGSVGElement) {
      root.append(standalone(element, x, y))
      return
    }
    if (element instanceof HTMLCanvasElement) {
      const { vector } = element as VectorCanvas
      if (vector) {
        const drawn = new DOMParser().parseFromString(vector(title), 'image/svg+xml').documentElement
        drawn.setAttribute('x', String(x))
        drawn.setAttribute('y', String(y))
        root.append(drawn)
      } else if (element.width > 0) add('image', { x, y, width: at.width, height: at.height, href: element.toDataURL() })
      return
    }
    const { picture } = element as PicturedElement
    if (picture) {
      add('image', { x, y, width: at.width, height: at.height, href: await picture() })
      return
    }
    if (element instanceof HTMLButtonElement || element instanceof HTMLInputElement || element instanceof HTMLSelectElement) return
    for (const child of element.childNodes) {
      if (child instanceof Element) await walk(child)
      else if (child.nodeType === Node.TEXT_NODE && child.textContent?.trim()) {
        const range = document.createRange()
        range.selectNodeContents(child)
        const line = range.getBoundingClientRect()
        add('text', {
          x: line.left - frame.left,
          y: line.top - frame.top + line.height / 2,
          'dominant-baseline': 'central',
          style: `font:${look.fontWeight} ${look.fontSize} ${look.fontFamily};fill:${look.color}`,
        }).textContent = child.textContent.trim()
      }
    }
  }
  await walk(box)
  return new XMLSerializer().serializeToString(root)
}

/** An SVG document as PNG, `scale` pixels a unit. */
export async function pngOf(svg: string, scale = 2): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.naturalWidth * scale)
  canvas.height = Math.round(image.naturalHeight * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('PNG'))), 'image/png')
  })
}
