import { renderToString } from 'preact-render-to-string'
import {
  CONTACT_MAX_LENGTH,
  DETAILS_MAX_LENGTH,
  OPEN_REPORTS_MAX,
  REPORT_REASONS,
  type Report,
  type ReportReason,
} from '../../domain/moderation/reports.ts'
import { mayHoldOwnerKey } from '../../domain/ownership/claims.ts'
import { plainText } from '../../platform/lib/text.ts'
import { Field, faultProps, Message, typedIn } from '../ui/elements.tsx'
import { waitText } from '../ui/time.tsx'

/** The typed report, and its errors. */
export interface ReportDraft {
  reason: string
  details: string
  contact: string
  faults: Partial<Record<'reason' | 'details' | 'contact', string>>
  /** After too many reports: how long to wait. */
  waitSeconds?: number
  /** Whether this network has the maximum of open reports. */
  isFull?: boolean
}

/** A hidden field, which only programs fill in. */
const TRAP_FIELD = 'homepage'

/** Lets a visitor report a listing. `draft`: a refused report, to fill in again. */
export function ReportForm({ slug, draft }: { slug: string; draft?: ReportDraft | undefined }) {
  return (
    <details class="report" id="report" open={draft !== undefined}>
      <summary>Report this listing</summary>
      {draft && (
        <Message>
          <strong>Your report was not sent yet.</strong> {whatToDo(draft)}
        </Message>
      )}
      <form
        method="post"
        action={`/product/${slug}/report`}
        dangerouslySetInnerHTML={{ __html: draft ? renderToString(<Fields draft={draft} />) : EMPTY_FIELDS }}
      />
    </details>
  )
}

function whatToDo({ isFull, waitSeconds }: ReportDraft): string {
  if (isFull)
    return `The operator has ${OPEN_REPORTS_MAX} open reports about this listing from your network, and will read them. You can send another one once they are settled.`
  if (waitSeconds === undefined) return 'Please fix the fields marked below.'
  return `Your network has sent too many reports. Send this one again in ${waitText(waitSeconds)}.`
}

function Fields({ draft }: { draft: ReportDraft }) {
  const { reason, details, contact, faults } = draft
  return (
    <>
      <Field id="report-reason" label="What’s wrong with it?" fault={faults.reason}>
        <select id="report-reason" name="reason" {...faultProps('report-reason', faults.reason)} required>
          <option value="">Choose one</option>
          {(Object.keys(REPORT_REASONS) as ReportReason[]).map(id => (
            <option value={id} key={id} selected={id === reason}>
              {REPORT_REASONS[id]}
            </option>
          ))}
        </select>
      </Field>
      <Field id="report-details" label="Details (required for “something else”)" fault={faults.details}>
        <textarea
          id="report-details"
          name="details"
          {...faultProps('report-details', faults.details)}
          rows={4}
          maxLength={DETAILS_MAX_LENGTH}
          dir="auto"
        >
          {details}
        </textarea>
      </Field>
      <Field
        id="report-contact"
        label="How we can reach you (optional)"
        fault={faults.contact}
        name="contact"
        type="text"
        maxLength={CONTACT_MAX_LENGTH}
        autocomplete="email"
        dir="auto"
        value={contact}
      />
      <p class="report-trap" aria-hidden="true">
        <label for="report-trap">Leave this empty</label>
        <input id="report-trap" name={TRAP_FIELD} type="text" tabIndex={-1} autocomplete="off" />
      </p>
      <p class="note">
        Only the operator reads this. We keep what you write and when. Until the report is settled, we also keep a keyed
        hash of your network, to limit its number of reports. Is the website yours? Open the private link from its
        receipt, and withdraw the listing there. Never enter that link here.
      </p>
      <p>
        <button type="submit">Send the report</button>
      </p>
    </>
  )
}

/** Rendered once: every product page has the same. */
const EMPTY_FIELDS = renderToString(<Fields draft={{ reason: '', details: '', contact: '', faults: {} }} />)

interface ReadReport {
  /** Undefined if something is wrong with it. */
  report: Report | undefined
  draft: ReportDraft
  /** Whether a program filled in the hidden field. */
  isTrapped: boolean
}

/** Reads the form: a report, or what is wrong with it. */
export function readReport(body: unknown): ReadReport {
  const [reason, details, contact] = [typedIn(body, 'reason'), typedIn(body, 'details'), typedIn(body, 'contact')]
  const faults: ReportDraft['faults'] = {}
  if (!isReason(reason)) faults.reason = 'Choose what’s wrong.'
  else if (reason === 'other' && !plainText(details, DETAILS_MAX_LENGTH))
    faults.details = 'Tell us briefly what’s wrong.'
  const tooLong = (length: number) => `This is too long. Use at most ${length.toLocaleString('en-US')} characters.`
  if (details.length > DETAILS_MAX_LENGTH) faults.details = tooLong(DETAILS_MAX_LENGTH)
  if (contact.length > CONTACT_MAX_LENGTH) faults.contact = tooLong(CONTACT_MAX_LENGTH)
  const draft = { reason, details, contact, faults }
  for (const field of ['details', 'contact'] as const) {
    if (!mayHoldOwnerKey(plainText(draft[field], Number.POSITIVE_INFINITY))) continue
    // Neither store it nor show it again.
    draft[field] = ''
    faults[field] = PRIVATE_LINK
  }
  const isGood = isReason(reason) && Object.keys(faults).length === 0
  return {
    report: isGood ? { reason, details, contact } : undefined,
    draft,
    isTrapped: typedIn(body, TRAP_FIELD) !== '',
  }
}

const PRIVATE_LINK =
  'Remove the private link: anyone with it can manage the listing. To withdraw the listing, open the link yourself.'

const isReason = (text: string): text is ReportReason => Object.hasOwn(REPORT_REASONS, text)
