import { CONFIRM_WITHIN_MS, findAddresses, hintOf } from '../../domain/notifications/owner/mail-address.ts'
import { FIRST_CHOICES, MAIL_CHOICES, readChoices } from '../../domain/notifications/owner/plan-mail.ts'
import type { StoreAndKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { MailChoice } from '../../platform/db/tables/mail.ts'
import type { Links } from '../../platform/http/links.ts'
import { Button, Form } from '../ui/elements.tsx'
import { MailField } from '../ui/private-link.tsx'
import { Minute } from '../ui/time.tsx'

type MailState = NonNullable<Awaited<ReturnType<typeof readMail>>> & {
  /** A refused address, to correct. */
  typed?: string | undefined
}

/** Reads the mail that an owner gets: most of an address is hidden. @returns undefined if the site sends no mail */
export async function readMail(
  { store, serviceKeys, links }: StoreAndKeys & { links: Links },
  listingId: number,
  now: number,
) {
  if (!links.site.sendsMail) return undefined
  const { confirmed, waiting } = await findAddresses(store.db, listingId, now)
  const known = confirmed ?? waiting
  const address = hintOf(serviceKeys, waiting)
  return {
    address: hintOf(serviceKeys, confirmed),
    waiting: waiting && address ? { address, until: waiting.at + CONFIRM_WITHIN_MS } : undefined,
    choices: known ? readChoices(known.choices) : FIRST_CHOICES,
    /** Whether the last mail was refused. */
    isRefused: (confirmed?.refusals ?? 0) > 0,
  }
}

const LABELS: Record<MailChoice, string> = {
  overtaken: 'Overtaken on a board: at most one mail in six hours',
  ends: 'The listing ends: 7 days and 1 day before',
  decided: 'Taken down or restored: the reasons, and how to appeal',
  page_gone: 'Your page no longer loads',
  drawn: 'Drawn by lot for the home page',
  summary: 'Each Monday: a summary of the week',
}

interface MailFormProps {
  path: string
  mail: MailState
  /** Otherwise, no listing can be overtaken, and that choice stays as it is. */
  sellsPlaces: boolean
}

/** The choices, the address, and what it is good for. */
export function MailForm({ path, mail, sellsPlaces }: MailFormProps) {
  const { address, waiting, choices, typed } = mail
  const isKept = !sellsPlaces && choices.includes('overtaken')
  const shown = MAIL_CHOICES.filter(choice => sellsPlaces || choice !== 'overtaken')
  const isOn = address !== undefined || waiting !== undefined
  return (
    <li>
      <div>
        <h3>Mail</h3>
        <MailStatus mail={mail} />
        <p>
          We mail you about your listing and, if you lose your private link, a link that opens this page. We store the
          address encrypted, show it to no one, and put no tracking in mails. Every mail has a link that ends it.
        </p>
      </div>
      <Form action={`${path}/mail`} fields={{ overtaken: isKept ? 'yes' : undefined }}>
        <fieldset class="field">
          <legend>Send mail about</legend>
          {shown.map(choice => (
            <label class="check" key={choice}>
              <input type="checkbox" name={choice} value="yes" checked={choices.includes(choice)} /> {LABELS[choice]}
            </label>
          ))}
        </fieldset>
        <MailField
          label={isOn ? 'Another mail address' : 'Your mail address'}
          value={typed}
          required={!isOn}
          aria-describedby="mail-why"
        />
        <p class="hint" id="mail-why">
          {isOn
            ? 'Leave it empty to change only what we send. A new address must be confirmed first.'
            : 'We send one mail to confirm it. If it is not confirmed, we forget it after 24 hours.'}
        </p>
        <p class="btns">
          <Button>{isOn ? 'Save' : 'Turn on mail'}</Button>
          {isOn && (
            <Button look="danger" formNoValidate formAction={`${path}/mail-off`}>
              Turn off and delete the address
            </Button>
          )}
        </p>
      </Form>
    </li>
  )
}

function MailStatus({ mail: { address, waiting, isRefused } }: { mail: MailState }) {
  return (
    <>
      {address && (
        <p>
          Mail goes to <strong>{address}</strong>.
        </p>
      )}
      {waiting && (
        <p class="callout">
          <strong>Confirm {waiting.address}:</strong> open the link in the mail that we sent there, by{' '}
          <Minute at={waiting.until} />. No mail? Look in the spam folder.
        </p>
      )}
      {isRefused && (
        <p class="callout">
          <strong>The last mail was refused</strong> by the mail server of this address. After three in a row, we delete
          the address.
        </p>
      )}
    </>
  )
}
