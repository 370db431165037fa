import type { ComponentChildren } from 'preact'
import { encode } from 'uqr'
import { MAIL_ADDRESS_MAX_LENGTH } from '../../domain/notifications/owner/mail-address.ts'
import { FIRST_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import type { Links } from '../../platform/http/links.ts'
import type { Given } from './claim-listing.ts'
import { Button, ButtonLink, CopyButton, Field, Form } from './elements.tsx'

interface PrivateLinkProps {
  heading: string
  given: Given
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
const MailStart = ({ claimId }: Pick<Given, 'claimId'>) => (
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
