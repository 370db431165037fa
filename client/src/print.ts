import type { Capabilities, Quote } from '@placard/contract'
import type { QuoteRequest } from './client.ts'
import type { PlacardError } from './error.ts'
import type { Publication } from './publication.ts'
import { plain, utcText } from './text.ts'

/** Capabilities for people to read. */
export function capabilitiesText({ version, discovery, publishingPolicy, categories }: Capabilities): string {
  const { limits } = publishingPolicy
  const end = discovery.submissionEndsAt ? utcText(Date.parse(discovery.submissionEndsAt)) : undefined
  const open = end ? `open until ${end}` : 'open'
  return lines(
    `Free listings    ${discovery.available ? open : 'closed; earlier submissions can still recover their receipt'}`,
    `Shown for        ${discovery.displayDays} days`,
    `New submissions  ${limits.newAttemptsPerDayPerIp} a day per address, ${limits.newAttemptsPerDayPerHost} per website, ${limits.newAttemptsPerDayGlobal} in total`,
    `Requests         ${limits.requestsPerTenMinutesPerIp} in ten minutes per address`,
    'Payment          only by a person in a browser; no operation charges',
    `Contract         ${version}`,
    '',
    `Categories (${categories.length})`,
    ...categories.map(({ id, label }) => `  ${id}${label === id ? '' : `  (${label})`}`),
  )
}

/** A quote for people to read. */
export function quoteText(quote: Quote, { destination, board, targetBid }: QuoteRequest): string {
  return lines(
    `${dollars(quote.chargeAmountCents)} would bring ${destination} to ${dollars(targetBid * 100)} on the board "${board}".`,
    '',
    ...(quote.estimatedRank ? [`Estimated rank  ${quote.estimatedRank} (not reserved)`] : []),
    `Price holds     until ${utcText(quote.expiresAt)}; the link shows the current price`,
    '',
    'Nothing was charged or reserved. To pay, a person must open this link in a browser and confirm:',
    quote.handoffUrl,
  )
}

/** A receipt for people to read, with the private link only on request. */
export function publicationText(publication: Publication, showPrivateLink: boolean): string {
  const { receipt, replayed } = publication
  return lines(
    receipt.status === 'published'
      ? replayed
        ? 'Published earlier.'
        : 'Published.'
      : `The listing is ${receipt.status}.`,
    '',
    `Public page  ${receipt.productUrl}`,
    `Shown until  ${receipt.expiresAt === null ? 'no scheduled end' : utcText(receipt.expiresAt)}`,
    `Request      ${receipt.requestId}`,
    ...(receipt.ownership.supportUrl ? [`Support      ${receipt.ownership.supportUrl}`] : []),
    '',
    ...privateLinkLines(publication, showPrivateLink),
    receipt.notice,
  )
}

function privateLinkLines({ privateLink }: Publication, show: boolean): string[] {
  if (!privateLink) return []
  return show
    ? [
        'Private management link, for the customer only. Anyone who has it can manage the listing:',
        privateLink.reveal(),
        '',
      ]
    : [
        'The private management link is not shown. Run the same command with --show-private-link to see it.',
        '',
      ]
}

/** A receipt for programs, in the API's own shape, with the private link only on request. */
export function publicationJson({ receipt, privateLink }: Publication, showPrivateLink: boolean): unknown {
  if (!showPrivateLink || !privateLink) return receipt
  return { ...receipt, ownership: { ...receipt.ownership, privateRecoveryUrl: privateLink.reveal() } }
}

/** An error for people to read: what happened, then what to do. */
export function errorText(error: PlacardError): string {
  const what = [error.status, error.code, error.field, error.reason].filter(Boolean).join(' ')
  return lines(`placard-agent: ${error.error} (${what})`, ...(error.advice ? [error.advice] : []))
}

/** One line about a failure that is followed by another try. */
export function retryText({ error, status, code }: PlacardError, waitMs: number): string {
  const what = [status, code].filter(Boolean).join(' ')
  return lines(`placard-agent: ${error} (${what}) Trying again in ${Math.ceil(waitMs / 1000)} s.`)
}

const dollars = (cents: number) => `${(cents / 100).toFixed(2)} USD`

const lines = (...all: string[]) => all.map(line => `${plain(line)}\n`).join('')
