import { renderToString } from 'preact-render-to-string'
import {
  CONTACT_MAX_LENGTH,
  DETAILS_MAX_LENGTH,
  REPORT_REASONS,
  type ReportReason,
} from '../../moderation/reports.ts'
import { Message } from '../ui/message.tsx'
import { waitText } from '../ui/time.tsx'

/** What the visitor typed, and what is wrong with it. */
export interface ReportDraft {
  reason: string
  details: string
  contact: string
  faults: Partial<Record<'reason' | 'details' | 'contact', string>>
  /** After too many reports: how long to wait. */
  waitSeconds?: number
}

/** A hidden field, which only programs fill in. */
export const TRAP_FIELD = 'homepage'

/** Lets a visitor report a listing. `draft`: a refused report, to fill in again. */
export function ReportForm({ slug, draft }: { slug: string; draft?: ReportDraft | undefined }) {
  return (
    <details class="report" id="report" open={draft !== undefined}>
      <summary>Report this listing</summary>
      {draft && (
        <Message>
          <strong>Your report was not sent yet.</strong>{' '}
          {draft.waitSeconds === undefined
            ? 'Please fix the fields marked below.'
            : `Your network has sent too many. Please send it again in ${waitText(draft.waitSeconds)}.`}
        </Message>
      )}
      <form
        method="post"
        // If the reply is this page again, it opens at the form.
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
        <label for="report-reason">What’s wrong with it?</label>
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
        <label for="report-details">Details (required for “something else”)</label>
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
        Only the operator reads this. We keep what you write and when, and nothing else about you. Is the
        website yours? Then open the private link from its receipt, and take the listing down at once. Never
        enter that link here.
      </p>
      <p>
        <button type="submit">Send the report</button>
      </p>
    </>
  )
}

/** Rendered once: every product page has the same. */
const EMPTY_FIELDS = renderToString(<Fields draft={{ reason: '', details: '', contact: '', faults: {} }} />)
