import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { encode } from 'uqr'
import type { Destination } from '../../domain/destinations/destination.ts'
import { type Listing, statusOf } from '../../domain/listings/listing.ts'
import { MAIL_ADDRESS_MAX_LENGTH } from '../../domain/notifications/owner/mail-address.ts'
import { PROOF_EFFECTS } from '../../domain/notifications/owner/new-owner.ts'
import { FIRST_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import { ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { type Proof, proveOwner } from '../../domain/ownership/prove-owner.ts'
import type { NotYet } from '../../domain/ownership/site-owner.ts'
import type { Links } from '../../platform/http/links.ts'
import { giveCookie, sessionCookie } from './cookies.ts'
import { Button, ButtonLink, CopyButton, Field, Form } from './elements.tsx'
import type { Needs } from './page-parts.ts'

interface PrivateLinkProps {
  heading: string
  given: IssuedLink
  links: Links
  /** What happened. */
  children: ComponentChildren
}

/** Shows a private link once, for its owner to store. */
export const PrivateLink = ({ heading, given: { claimId, privateLink }, links, children }: PrivateLinkProps) => (
  <article class="slip" aria-labelledby="given">
    <div>
      <h2 class="huge" id="given">
        {heading}
      </h2>
      {children}
      <div class="bar">
        <h3>Your private link</h3>
        <CopyButton source="private-link" label="Copy link" />
      </div>
      <pre class="new-link copy" id="private-link" data-private-link>
        {privateLink}
      </pre>
      <p class="hint">
        <strong>We show it once.</strong> Anyone with it can manage the listing, so store it like a password.
      </p>
      <p class="acts">
        <ButtonLink look="go" href={privateLink}>
          I have stored it
        </ButtonLink>
      </p>
      {links.site.sendsMail && <MailStart claimId={claimId} />}
    </div>
    <div class="stub">
      <h3>On your phone</h3>
      <QrCode text={privateLink} label="QR code of the private link" />
      <p class="small soft">Scan it to open the same link there.</p>
    </div>
  </article>
)

/** Asks for a mail address. The visit that the link started lets this browser send it to the private page. */
const MailStart = ({ claimId }: Pick<IssuedLink, 'claimId'>) => (
  <section aria-labelledby="mail">
    <h3 id="mail">Get mail about your listing</h3>
    <p class="hint">
      Before it ends, if it is overtaken or taken down, or if you lose your private link. The first mail confirms the
      address.
    </p>
    <Form action={`/manage/${claimId}/mail`} fields={Object.fromEntries(FIRST_CHOICES.map(choice => [choice, 'yes']))}>
      <MailField label="Your mail address" required />
      <p class="acts">
        <Button>Turn on mail</Button>
        <span class="small soft">Store your private link first: this button opens another page.</span>
      </p>
    </Form>
  </section>
)

interface MailFieldProps {
  label: string
  id?: string
  value?: string | undefined
  required: boolean
}

export const MailField = ({ id = 'mail-address', ...field }: MailFieldProps) => (
  <Field id={id} name="address" type="email" autocomplete="email" maxLength={MAIL_ADDRESS_MAX_LENGTH} {...field} />
)

/** For a listing that is hidden or has ended. */
export const NotShown = () => (
  <p>The listing is not shown right now. Its private page says why, and whether you can show it again.</p>
)

/** In modules, as the standard asks for. */
const QUIET_ZONE = 4

/** A QR code as a drawing, dark on white in every theme: not every camera reads it the other way round. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={data.map((row, y) => rowPath(row, y)).join('')} fill="#000" />
    </svg>
  )
}

/** The dark modules of a row, each run of them as one box. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x++
    const width = x + 1 - start
    path += `M${start} ${y}h${width}v1h-${width}z`
  }
  return path
}

/** A private link that a proof gave. */
export interface IssuedLink {
  claimId: string
  privateLink: string
  listing: Pick<Listing, 'slug' | 'title' | 'expiresAt'>
  isPublished: boolean
}

export type ClaimOutcome = (IssuedLink & { outcome: 'linked' }) | NotYet | { outcome: 'not_listed' }

/** Carries out what a proof gives, for a browser that has no private page open. A private link also starts a visit. */
export async function claimListing(
  { links, store, serviceKeys, sessions, clock }: Needs<'links' | 'store' | 'serviceKeys' | 'sessions' | 'clock'>,
  destination: Destination,
  proof: Proof,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ClaimOutcome> {
  const listing = await store.db
    .selectFrom('listing')
    .select(['id', 'url', 'slug', 'title', 'expiresAt', 'hiddenAt'])
    .where('destinationKey', '=', destination.key)
    // Another spelling may have been listed while we looked.
    .where('url', '=', destination.url)
    .executeTakeFirst()
  if (!listing) return { outcome: 'not_listed' }
  const now = clock()
  const proved = await proveOwner({ store, serviceKeys, ...PROOF_EFFECTS }, listing, proof, undefined, now)
  request.log.info({ slug: listing.slug, outcome: proved.outcome, place: proof.place }, 'a website was proven')
  if (proved.outcome === 'verified') throw new Error('only the private page knows its holder')
  if (proved.outcome !== 'linked') return proved
  const { claimId } = proved.link
  giveCookie(reply, sessionCookie(claimId), sessions.open(proved.link, now), links)
  const privateLink = links.privateLink(claimId, ownerTokenText(proved.token))
  return { outcome: 'linked', claimId, privateLink, listing, isPublished: statusOf(listing, now) === 'published' }
}
