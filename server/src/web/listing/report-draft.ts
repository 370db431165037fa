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
  /** Undefined if something is wrong with it. */
  report: Report | undefined
  draft: ReportDraft
  /** Whether a program filled in the hidden field. */
  isTrapped: boolean
}

/** Reads the form: a report, or what is wrong with it. */
export function readReport(body: unknown): ReadReport {
  const given = (body ?? {}) as Record<string, unknown>
  // Browsers send a line break as two characters but count it as one.
  const text = (name: string) => {
    const value = given[name]
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''
  }
  const [reason, details, contact] = [text('reason'), text('details'), text('contact')]
  const faults: ReportDraft['faults'] = {}
  if (!isReason(reason)) faults.reason = 'Choose what’s wrong.'
  else if (reason === 'other' && !plainText(details, DETAILS_MAX_LENGTH))
    faults.details = 'Tell us briefly what’s wrong.'
  const tooLong = (length: number) =>
    `This is too long. Use at most ${length.toLocaleString('en-US')} characters.`
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
    isTrapped: text(TRAP_FIELD) !== '',
  }
}

const PRIVATE_LINK =
  'Leave out the private link: anyone who has it can manage the listing. Open it yourself, and withdraw the listing there.'

const isReason = (text: string): text is ReportReason => Object.hasOwn(REPORT_REASONS, text)
