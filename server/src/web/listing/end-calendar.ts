import type { Listing } from '../../domain/listings/listing.ts'
import type { Links } from '../../platform/http/links.ts'

/** Octets of a line, without its end (RFC 5545, 3.1). */
const LINE_MAX_BYTES = 75

/** The end of a listing as a calendar file (RFC 5545), with a reminder a week before. All of it is public. */
export function renderEndCalendar(
  { slug, title, publishedAt }: Pick<Listing, 'slug' | 'title' | 'publishedAt'>,
  endsAt: number,
  links: Links,
): string {
  const summary = `Your listing ends: ${title}`
  const what = `After that it is no longer shown.${links.site.sellsPlaces ? ' With a paid place, it has no scheduled end.' : ''}`
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Placard//Placard//EN',
    'BEGIN:VEVENT',
    `UID:${slug}-end@${links.hostname}`,
    `DTSTAMP:${utc(publishedAt)}`,
    `DTSTART:${utc(endsAt)}`,
    `SUMMARY:${text(summary)}`,
    `DESCRIPTION:${text(what)}`,
    `URL:${links.product(slug)}`,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-P7D',
    `DESCRIPTION:${text(summary)}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
    .map(line => `${fold(line)}\r\n`)
    .join('')
}

/** As `20261121T120000Z`. */
const utc = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/\.\d{3}/, '')
    .replace(/[-:]/g, '')

/** Escapes a text value, and drops characters that a calendar must not contain. */
const text = (value: string): string =>
  value
    .toWellFormed()
    .replace(/\r?\n/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(/[\\;,]/g, character => `\\${character}`)

/** Breaks a long line between characters. Each further part begins with a space, which counts. */
function fold(line: string): string {
  let [folded, bytes] = ['', 0]
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (bytes + more > LINE_MAX_BYTES) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += more
  }
  return folded
}
