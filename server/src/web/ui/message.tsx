import type { ComponentChildren } from 'preact'

/** Says what became of what was just asked, first thing on the page. */
export function Message({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="callout" role="alert" id={id}>
      {children}
    </p>
  )
}
