// A button that opens the file chooser.
import { useRef, type ReactNode } from 'react'

import { Button, type ButtonProps } from './Button'

export interface FileButtonProps extends Pick<ButtonProps, 'kind' | 'size' | 'icon' | 'disabledReason'> {
  accept: string
  multiple?: boolean
  onFiles: (files: File[]) => void
  children: ReactNode
}

export function FileButton({ accept, multiple = false, onFiles, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          event.target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
    </>
  )
}
