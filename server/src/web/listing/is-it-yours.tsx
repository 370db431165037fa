import type { Links } from '../../http/links.ts'

/** The way on for the owner of a listing that is down. Promises help only where somebody gives it. */
export const IsItYours = ({ links }: { links: Links }) =>
  links.isSupportGiven ? (
    <>
      Is it yours? <a href={links.support}>Support</a> can help.
    </>
  ) : (
    <>
      Is it yours? Read <a href={links.support}>what can be done</a>.
    </>
  )
