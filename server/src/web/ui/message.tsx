import type { ComponentChildren } from 'preact'
import { ownPath } from '../../platform/http/links.ts'

/** The result of the visitor’s last action, at the top of the page. */
export function Message({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="callout" role="alert" id={id}>
      {children}
    </p>
  )
}

/** A link for the owner of a website, to prove that it is theirs. */
export const IsItYours = ({ url }: { url?: string | undefined }) => (
  <a href={ownPath(url)} rel="nofollow">
    Is this your website?
  </a>
)
