import type { ComponentChildren } from 'preact'
import type { Links } from '../../platform/http/links.ts'

/** The result of the visitor’s last action, at the top of the page. */
export function Message({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="callout" role="alert" id={id}>
      {children}
    </p>
  )
}

/** A link for the owner of a listing that is down. Promises help only if the operator gives a contact. */
export const IsItYours = ({ links }: { links: Links }) =>
  links.isSupportGiven ? (
    <>
      Is it yours? <a href={links.support}>Support</a> can help.
    </>
  ) : (
    <>
      Is it yours? <a href={links.support}>See your options</a>.
    </>
  )
