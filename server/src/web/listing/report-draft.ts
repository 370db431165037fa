import {
  CONTACT_MAX_LENGTH,
  DETAILS_MAX_LENGTH,
  REPORT_REASONS,
  type Report,
  type ReportReason,
} from '../../moderation/reports.ts'
import { mayHoldOwnerKey } from '../../ownership/private-link.ts'
import { plainText } from '../../reading/plain-text.ts'
import { type ReportDraft, TRAP_FIELD } from './report-form.tsx'

interface ReadReport {
  /** Undefined where something is wrong with it. */
  report: Report | undefined
  draft: ReportDraft
  /** Whether a program filled it in. */
  isTrapped: boolean
}

/** Reads the fields of the form: a report, or what keeps it from being one. */
export function readReport(body: unknown): ReadReport {
  const given = (body ?? {}) as Record<string, unknown>
  // A browser sends a line's end as two characters, and counts it as one.
  const text = (name: string) => {
    const value = given[name]
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''
  }
  const [reason, details, contact] = [text('reason'), text('details'), text('contact')]
  const faults: ReportDraft['faults'] = {}
  if (!isReason(reason)) faults.reason = 'Choose what is wrong.'
  else if (reason === 'other' && !plainText(details, DETAILS_MAX_LENGTH))
    faults.details = 'Say in a few words what is wrong.'
  const tooLong = (length: number) =>
    `This is too long: at most ${length.toLocaleString('en-US')} characters can be sent.`
  if (details.length > DETAILS_MAX_LENGTH) faults.details = tooLong(DETAILS_MAX_LENGTH)
  if (contact.length > CONTACT_MAX_LENGTH) faults.contact = tooLong(CONTACT_MAX_LENGTH)
  const draft = { reason, details, contact, faults }
  for (const field of ['details', 'contact'] as const) {
    if (!mayHoldOwnerKey(plainText(draft[field], Number.POSITIVE_INFINITY))) continue
    // Neither stored nor shown again.
    draft[field] = ''
    faults[field] = PRIVATE_LINK
  }
  const isGood = isReason(reason) && Object.keys(faults).length === 0
  return {
    report: isGood ? { reason, details, contact } : undefined,
    draft,
    isTrapped: text(TRAP_FIELD) !== '',
  }
}

const PRIVATE_LINK =
  'Leave the private link out: whoever has it can manage the listing. Open it yourself, and withdraw the listing there.'

const isReason = (text: string): text is ReportReason => Object.hasOwn(REPORT_REASONS, text)
