import { renderToString } from 'preact-render-to-string'
import {
  CONTACT_MAX_LENGTH,
  DETAILS_MAX_LENGTH,
  REPORT_REASONS,
  type ReportReason,
} from '../../moderation/reports.ts'
import { Message } from '../ui/message.tsx'
import { waitText } from '../ui/time.tsx'

/** What was written into the form, and what is wrong with it. */
export interface ReportDraft {
  reason: string
  details: string
  contact: string
  faults: Partial<Record<'reason' | 'details' | 'contact', string>>
  /** Where too many were sent: how long until the next is taken. */
  waitSeconds?: number
}

/** The field no person fills in, since none sees it. */
export const TRAP_FIELD = 'homepage'

/** Lets a visitor say that something is wrong with a listing. `draft`: what was sent and could not be taken. */
export function ReportForm({ slug, draft }: { slug: string; draft?: ReportDraft | undefined }) {
  return (
    <details class="report" id="report" open={draft !== undefined}>
      <summary>Report this listing</summary>
      {draft && (
        <Message>
          <strong>Your report was not sent yet.</strong>{' '}
          {draft.waitSeconds === undefined
            ? 'Please see to what is marked below.'
            : `Many came from your network. Please send it again in ${waitText(draft.waitSeconds)}.`}
        </Message>
      )}
      <form
        method="post"
        // Where the answer is this page again, it opens at the form.
        action={`/product/${slug}/report#report`}
        dangerouslySetInnerHTML={{ __html: draft ? renderToString(<Fields draft={draft} />) : EMPTY_FIELDS }}
      />
    </details>
  )
}

function Fields({ draft }: { draft: ReportDraft }) {
  const { reason, details, contact, faults } = draft
  const about = (field: keyof typeof faults) => ({
    id: `report-${field}`,
    name: field,
    'aria-invalid': faults[field] ? ('true' as const) : undefined,
    'aria-describedby': faults[field] && `report-${field}-fault`,
  })
  const fault = (field: keyof typeof faults) =>
    faults[field] && (
      <span class="fault" id={`report-${field}-fault`}>
        {faults[field]}
      </span>
    )
  return (
    <>
      <p class="field">
        <label for="report-reason">What is wrong with it?</label>
        {fault('reason')}
        <select {...about('reason')} required>
          <option value="">Choose one</option>
          {(Object.keys(REPORT_REASONS) as ReportReason[]).map(id => (
            <option value={id} key={id} selected={id === reason}>
              {REPORT_REASONS[id]}
            </option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="report-details">Details (optional, unless it is something else)</label>
        {fault('details')}
        <textarea {...about('details')} rows={4} maxLength={DETAILS_MAX_LENGTH} dir="auto">
          {details}
        </textarea>
      </p>
      <p class="field">
        <label for="report-contact">How we can reach you (optional)</label>
        {fault('contact')}
        <input
          {...about('contact')}
          type="text"
          maxLength={CONTACT_MAX_LENGTH}
          autocomplete="email"
          dir="auto"
          value={contact}
        />
      </p>
      <p class="report-trap" aria-hidden="true">
        <label for="report-trap">Leave this empty</label>
        <input id="report-trap" name={TRAP_FIELD} type="text" tabIndex={-1} autocomplete="off" />
      </p>
      <p class="note">
        Only the operator reads this. We keep what you write and when; nothing else about you. If the website
        is yours, you can take the listing down at once: open the private link from its receipt. Never write
        that link in here.
      </p>
      <p>
        <button type="submit">Send the report</button>
      </p>
    </>
  )
}

/** Rendered once: it is on every product page, and the same on all. */
const EMPTY_FIELDS = renderToString(<Fields draft={{ reason: '', details: '', contact: '', faults: {} }} />)
