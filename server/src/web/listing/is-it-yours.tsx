import type { Links } from '../../http/links.ts'

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
