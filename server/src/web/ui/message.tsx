import type { ComponentChildren } from 'preact'

/** The result of what the visitor just did, at the top of the page. */
export function Message({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="callout" role="alert" id={id}>
      {children}
    </p>
  )
}
