// Starts the application in the page that Django serves.
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { makeQueryClient } from './app/queryClient'
import { router } from './app/router'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/layout.css'
import './styles/pages.css'
import './styles/calibrations.css'
import './styles/hardware.css'
import './styles/training.css'
import './styles/reviews.css'
import './styles/download.css'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={makeQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
