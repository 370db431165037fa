import type { DecisionStatement } from '@placard/contract'
import { type Links, OWN_PATH } from '../../../platform/http/links.ts'
import { lazily } from '../../../platform/lib/lazily.ts'
import { clockText, counted, plainText } from '../../../platform/lib/text.ts'
import { daysMs, MINUTE_MS, utcDay } from '../../../platform/lib/time.ts'
import type { Standings } from '../../boards/standings.ts'
import { OR_BY_API } from '../../decisions/record.ts'
import type { Listing } from '../../listings/listing.ts'
import type { DayOfTraffic } from '../../listings/traffic.ts'
import { quoted } from '../operator/message.ts'
import { CONFIRM_WITHIN_MS } from './mail-address.ts'
import type { Letter } from './mail-look.ts'
import type { OvertakenNotice } from './notice.ts'
import { BOARD_PERIOD, nameOf, rankText, type SharedNotice, wordsOf } from './notice-words.ts'

/** What every mail about a listing says. */
export interface About {
  listing: Pick<Listing, 'url' | 'title' | 'slug' | 'category'>
  /** The page that opens with the private link. */
  privatePage: string
  links: Links
}

const TEXT_MAX_LENGTH = 1_000

const whyOf = (about: About): string =>
  `You get this mail because it was turned on, on the private page of ${nameOf(about.listing)}.`

/** @param ifLost where to get a new private link; by default, with the address that the mail is sent to */
const opening = ({ privatePage, links }: About, ifLost = links.lostLink): Pick<Letter, 'button' | 'after'> => ({
  button: { label: 'Open your private page', href: privatePage },
  after: [`The page asks for your private link, which we never send by mail. Lost it? ${ifLost}`],
})

/** Beyond this number, they are only counted. */
const OVERTAKEN_SHOWN = 10

/** @param notices at least one, oldest first */
export function overtakenLetter(about: About, notices: readonly OvertakenNotice[], standings: Standings): Letter {
  const { links, listing } = about
  const name = nameOf(about.listing)
  const shown = notices.slice(-OVERTAKEN_SHOWN)
  const rows = shown.map(
    ({ facts: { board, from, to }, by }) =>
      [
        rankText(to),
        `${BOARD_PERIOD[board]}, was ${rankText(from)}`,
        by ? quoted(by.title) : 'another listing',
      ] as const,
  )
  const last = notices.findLast(({ facts }) => facts.board === 'all') ?? (notices.at(-1) as OvertakenNotice)
  const { board, to } = last.facts
  const now = `now ${rankText(standings[board]?.rank ?? to)} ${BOARD_PERIOD[board]}`
  const titles = new Set(notices.map(({ by }) => by?.title))
  const only = titles.size === 1 ? notices[0]?.by?.title : undefined
  const who = only === undefined ? (notices.length === 1 ? 'Another listing' : 'Others') : quoted(only)
  const cut = notices.length > shown.length ? `, ${notices.length} times. The last ${shown.length}` : ''
  return {
    subject: `${name} is ${now}`,
    heading: `${name} is ${now}`,
    isPaid: true,
    lines: [`${who} moved ahead of it${cut}:`],
    rows,
    button: links.site.sellsPlaces
      ? {
          label: 'See what a higher place costs',
          href: links.promote({ destination: listing, category: listing.category, board }),
        }
      : { label: 'See the board', href: `${links.base}/board/${board}` },
    after: ['You get this mail at most once in six hours.'],
    why: whyOf(about),
  }
}

const weekdayFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }))

/** The same words as in the feed. */
export function noticeLetter(about: About, worded: SharedNotice): Letter {
  const { title, sentences, see } = wordsOf(worded, about.listing, about.links)
  return {
    subject: title,
    heading: title,
    lines: sentences,
    ...(see ? { button: see } : opening(about)),
    why: whyOf(about),
  }
}

/** The reasons for a decision, and the way to appeal. */
export function decidedLetter(
  about: About,
  { decision, facts, ground, automated, contest }: DecisionStatement,
): Letter {
  const explanation = typeof facts?.explanation === 'string' ? plainText(facts.explanation, TEXT_MAX_LENGTH) : ''
  const words = plainText(decision, TEXT_MAX_LENGTH).replace(/\.$/, '')
  return {
    subject: `${nameOf(about.listing)}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
    heading: words,
    lines: [
      `This is about ${quoted(about.listing.title)}, ${about.links.product(about.listing.slug)}.`,
      ...(explanation ? [`Reason: ${explanation}`] : []),
      `Rule: ${plainText(ground.text, TEXT_MAX_LENGTH)} ${ground.url}`,
      automated.decision ? 'An automatic check decided, without a person.' : 'A person decided.',
      contest.how.replace(OR_BY_API, ''),
    ],
    ...opening(about),
    why: whyOf(about),
  }
}

/** @param days fourteen, oldest first: the week of the summary, and the one before it */
export function summaryLetter(
  about: About,
  days: readonly DayOfTraffic[],
  { all, today }: Standings,
  rankBefore: number | null,
): Letter {
  const sum = (of: 'views' | 'clicks', from: number) =>
    days.slice(from, from + 7).reduce((total, day) => total + day[of], 0)
  const [views, clicks] = [sum('views', 7), sum('clicks', 7)]
  const best = days.slice(7).reduce((most, day) => (day.views > most.views ? day : most))
  return {
    subject: `${nameOf(about.listing)}: ${counted(views, 'view')}, ${counted(clicks, 'click')} last week`,
    heading: `Last week, ${nameOf(about.listing)} ${views === 0 ? 'had no views' : `was seen ${times(views)}`}`,
    isPaid: all !== undefined || today !== undefined,
    lines: [`${clicks === 0 ? 'No visitor' : counted(clicks, 'visitor')} went on to your website.`],
    rows: [
      ['Views', views.toLocaleString('en'), change(views - sum('views', 0))],
      ['Clicks', clicks.toLocaleString('en'), change(clicks - sum('clicks', 0))],
      ...(best.views > 0
        ? [['Best day', weekdayFormat().format(Date.parse(best.day)), counted(best.views, 'view')] as const]
        : []),
      ...(all
        ? [
            [
              'All time',
              rankText(all.rank),
              rankBefore === null
                ? ''
                : `${rankBefore === all.rank ? 'as' : `was ${rankText(rankBefore)}`} in the last summary`,
            ] as const,
          ]
        : []),
      ...(today ? [['Today', rankText(today.rank), ''] as const] : []),
    ],
    ...opening(about),
    why: whyOf(about),
  }
}

/** Returns the days that a summary reads: the time to pass to `readTraffic`, and how many. */
export const summaryDays = (monday: string) => ({ days: 14, now: Date.parse(monday) - 1 })

/** Returns the last Monday whose summary is due at a time, as a UTC day. */
export function summaryMonday(now: number): string {
  const due = now - 7 * 60 * MINUTE_MS
  return utcDay(due - daysMs((new Date(due).getUTCDay() + 6) % 7))
}

const times = (count: number): string => (count === 1 ? 'once' : counted(count, 'time'))
const change = (by: number): string => {
  if (by === 0) return 'as the week before'
  return `${Math.abs(by).toLocaleString('en')} ${by > 0 ? 'more' : 'fewer'} than the week before`
}

/** Contains no text of the website: its recipient may not know the sender. */
export function confirmLetter(about: About, href: string): Letter {
  const name = nameOf(about.listing)
  return {
    subject: `Confirm your address for ${name}`,
    heading: 'Is this your address?',
    lines: [
      `Someone with the private link of ${name} wants mail about that listing sent to you. If this was you, confirm it within ${CONFIRM_WITHIN_MS / (60 * MINUTE_MS)} hours.`,
      'If it wasn’t you, do nothing. We then forget your address, and send no other mail.',
    ],
    button: { label: 'Confirm', href },
    why: `You get this mail because your address was entered on the private page of ${name}.`,
  }
}

export function openLetter(about: About, href: string, until: number): Letter {
  const name = nameOf(about.listing)
  return {
    subject: `Open the private page of ${name}`,
    heading: 'Open your private page',
    lines: [
      `Someone asked for this link to the private page of ${name}. It works once, until ${clockText(until)} UTC.`,
      'If it wasn’t you, do nothing, and pass this mail on to no one.',
    ],
    button: { label: 'Open the private page', href },
    why: `You get this mail because your address is set on the private page of ${name}.`,
  }
}

export const replacedLetter = (about: About): Letter =>
  addressLetter(about, {
    subject: `Another address for mail about ${nameOf(about.listing)}`,
    heading: 'Another address was entered',
    happened:
      'wants mail about that listing sent to another address. Once it is confirmed there, we forget your address, and send it no more mail.',
  })

const LAST_MAIL = 'This mail is the last one: we now forget your address.'

/** The address no longer helps to get a new link: only a proof of the website does. */
const proofOf = ({ links }: About): string => links.base + OWN_PATH

export const offLetter = (about: About): Letter =>
  addressLetter(about, {
    subject: `Mail about ${nameOf(about.listing)} is off`,
    heading: 'Mail was turned off',
    happened: `turned off mail about that listing. ${LAST_MAIL}`,
    ifLost: proofOf(about),
  })

export const withdrawnLetter = (about: About): Letter =>
  addressLetter(about, {
    subject: `${nameOf(about.listing)} was withdrawn`,
    heading: 'The listing was withdrawn',
    happened: `withdrew that listing, which is no longer shown. ${LAST_MAIL}`,
    undo: `If it wasn’t you, prove the website at ${proofOf(about)}. You then get a new private link, and can show the listing again.`,
    ifLost: proofOf(about),
  })

function addressLetter(
  about: About,
  {
    happened,
    undo = 'If it wasn’t you, enter your address again on the private page, and renew the private link there.',
    ifLost,
    ...what
  }: Pick<Letter, 'subject' | 'heading'> & { happened: string; undo?: string; ifLost?: string },
) {
  return {
    ...what,
    lines: [`Someone with the private link of ${nameOf(about.listing)} ${happened}`, undo],
    ...opening(about, ifLost),
    why: whyOf(about),
  }
}
