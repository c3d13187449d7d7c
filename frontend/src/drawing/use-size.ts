/** Size of an element in CSS pixels and the device-pixel ratio, kept up to date. */
import { useEffect, useState } from 'react'

export interface Size {
  readonly width: number
  readonly height: number
  readonly ratio: number
}

const NONE: Size = { width: 0, height: 0, ratio: 1 }

/** Give the returned function to `ref`; the size is 0 x 0 until the element is laid out. */
export function useSize(): [ref: (element: Element | null) => void, size: Size] {
  const [element, setElement] = useState<Element | null>(null)
  const [size, setSize] = useState<Size>(NONE)
  useEffect(() => {
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      const ratio = window.devicePixelRatio || 1
      setSize((old) =>
        old.width === width && old.height === height && old.ratio === ratio ? old : { width, height, ratio },
      )
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size]
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const update = () => setMatches(list.matches)
    list.addEventListener('change', update)
    return () => list.removeEventListener('change', update)
  }, [query])
  return matches
}
