import type { ReviewReason } from '@placard/contract'
import type { Row } from './row.ts'
import { addressAndPort, fetchedAddress, listOf, origin, text, token, wholeNumber } from './values.ts'

interface Meaning {
  means: string
  reason: ReviewReason
  /** Whether it refuses a page, or only flags it. */
  refuses: boolean
}

/** A list, by its documented codes. */
export interface DnsList {
  name: string
  /** @returns undefined for errors and unknown codes */
  meaningOf(address: string): Meaning | undefined
}

const refuses = (means: string, reason: ReviewReason): Meaning => ({ means, reason, refuses: true })
const notes = (means: string, reason: ReviewReason): Meaning => ({ means, reason, refuses: false })

/** https://docs.spamhaus.com/datasets/docs/source/10-data-type-documentation/datasets/040-zones.html */
const DBL: Readonly<Record<string, Meaning>> = {
  '127.0.1.2': refuses('low reputation', 'blocklisted'),
  '127.0.1.4': refuses('phishing', 'malicious'),
  '127.0.1.5': refuses('malware', 'malicious'),
  '127.0.1.6': refuses('botnet controller', 'malicious'),
  // Legitimate domains that were hacked.
  '127.0.1.102': notes('abused, spam', 'blocklisted'),
  '127.0.1.103': notes('abused redirector', 'blocklisted'),
  '127.0.1.104': notes('abused, phishing', 'malicious'),
  '127.0.1.105': notes('abused, malware', 'malicious'),
  '127.0.1.106': notes('abused, botnet controller', 'malicious'),
}

const SPAMHAUS_DBL: DnsList = { name: 'spamhaus-dbl', meaningOf: address => DBL[address] }

/** Domains first seen 0 to 24 hours ago: 127.0.2.2 to 127.0.2.24. A young domain is not always harmful. */
const SPAMHAUS_ZRD: DnsList = {
  name: 'spamhaus-zrd',
  meaningOf: address => {
    const hours = Number(/^127\.0\.2\.(\d{1,3})$/.exec(address)?.[1])
    return hours >= 2 && hours <= 24 ? notes(`first seen at most ${hours} hours ago`, 'policy') : undefined
  },
}

/** https://www.surbl.org/lists: a sum of bits. 127.0.0.1 means that the resolver is blocked. */
const SURBL_BITS: readonly (readonly [bit: number, meaning: Meaning])[] = [
  [8, refuses('phishing', 'malicious')],
  [16, refuses('malware', 'malicious')],
  [64, refuses('abuse', 'blocklisted')],
  [128, notes('cracked website', 'malicious')],
]
const SURBL_ALL = SURBL_BITS.reduce((all, [bit]) => all | bit, 0)

const SURBL: DnsList = {
  name: 'surbl',
  meaningOf: address => {
    const bits = Number(/^127\.0\.0\.(\d{1,3})$/.exec(address)?.[1])
    if (!(bits > 0) || (bits & ~SURBL_ALL) !== 0) return undefined
    return SURBL_BITS.find(([bit]) => (bits & bit) !== 0)?.[1]
  },
}

/** Returns the list of a zone. Customers of Spamhaus have zones with their key: KEY.dbl.dq.spamhaus.net. */
export function listOfZone(zone: string): DnsList | undefined {
  if (zone === 'dbl.spamhaus.org' || zone.endsWith('.dbl.dq.spamhaus.net')) return SPAMHAUS_DBL
  if (zone.endsWith('.zrd.dq.spamhaus.net')) return SPAMHAUS_ZRD
  if (zone === 'multi.surbl.org') return SURBL
  return undefined
}

const REVIEWERS = [
  'page-rules',
  'blocklists',
  'look-alikes',
  'phrases',
  'dns-filter',
  'dns-blocklists',
  'web-risk',
  'moderation',
] as const
export type ReviewerName = (typeof REVIEWERS)[number]

/** Parses a reviewer's name, or `name:flag` for one that only flags. */
function chosenReviewer(value: string): { name: ReviewerName; decides: boolean } {
  const name = REVIEWERS.find(each => each === value || `${each}:flag` === value)
  if (name !== undefined) return { name, decides: name === value }
  throw new Error(`must be a list of ${REVIEWERS.join(', ')}, each alone or with :flag, not "${value}"`)
}

function chosenReviewers(value: string) {
  const chosen = listOf(chosenReviewer)(value)
  const twice = chosen.find(({ name }, at) => chosen.findIndex(each => each.name === name) < at)
  if (twice) throw new Error(`must name ${twice.name} once: it either decides or only flags`)
  return chosen
}

/** @returns a host name in lower case and ASCII */
function hostName(value: string): string {
  const url = URL.parse(`http://${value}`)
  if (url?.hostname.includes('.') && url.href === `http://${url.hostname}/`) return url.hostname
  throw new Error(`must be a list of host names like example.com, not "${value}"`)
}

/** The value may contain a customer's key: the message must not repeat it. */
function dnsZone(value: string): string {
  const zone = value.toLowerCase()
  if (listOfZone(zone)) return zone
  throw new Error(
    'must be a list of dbl.spamhaus.org, KEY.dbl.dq.spamhaus.net, KEY.zrd.dq.spamhaus.net, multi.surbl.org: the lists whose answers we know',
  )
}

/** Until 0.4, one is enough: its twin was a setting of its own. */
function oneOrTwoResolvers(value: string): string[] {
  const resolvers = listOf(addressAndPort)(value)
  if (resolvers.length === 1 || resolvers.length === 2) return resolvers
  throw new Error(`must be two resolvers like 9.9.9.9,9.9.9.10, not "${value}"`)
}

export const REVIEW_SETTINGS = {
  REVIEWERS: {
    group: 'often',
    default: 'page-rules,blocklists,look-alikes,phrases',
    meaning: `Comma-separated reviewers of pages, from ${REVIEWERS.join(', ')}. With \`name:flag\`, a reviewer flags pages but never rejects them. See [moderation.md](moderation.md#reviewers).`,
    parse: chosenReviewers,
  },
  BLOCKLISTS: {
    group: 'often',
    meaning: 'Comma-separated files, or folders of files, with hosts to reject. Changes are read within 5 seconds.',
    parse: listOf(text),
  },
  LOOKS_PER_HOUR: {
    group: 'rarely',
    default: '120',
    meaning:
      'Rechecks of listed pages per hour, by all processes together, at most 100,000; 0 for none. See [moderation.md](moderation.md#rechecks).',
    parse: wholeNumber(0, 100_000),
  },
  PROTECTED_HOSTS: {
    group: 'rarely',
    meaning: 'Comma-separated hosts whose names `look-alikes` protects, in addition to its own list.',
    parse: listOf(hostName),
  },
  DNS_FILTER: {
    group: 'rarely',
    unset: '9.9.9.9,9.9.9.10',
    meaning:
      'Two resolvers of one provider for `dns-filter`: the first answers "no such name" for harmful hosts, the second filters nothing.',
    parse: oneOrTwoResolvers,
  },
  DNS_FILTER_PLAIN: {
    group: 'old',
    meaning: 'The second resolver of DNS_FILTER.',
    parse: addressAndPort,
  },
  DNS_BLOCKLISTS: {
    group: 'rarely',
    isSecret: true,
    meaning:
      'Comma-separated zones for `dns-blocklists`, queried through DNS_SERVERS: dbl.spamhaus.org, multi.surbl.org, or the zones of a Spamhaus customer.',
    parse: listOf(dnsZone),
  },
  WEB_RISK_API_KEY: {
    group: 'rarely',
    isSecret: true,
    meaning: 'API key of a Google Cloud project with Web Risk, for `web-risk`.',
    parse: token,
  },
  WEB_RISK_API_URL: {
    group: 'tests',
    default: 'https://webrisk.googleapis.com',
    meaning: 'Address of the Web Risk API. Change it only in tests.',
    parse: origin,
  },
  MODERATION_URL: {
    group: 'rarely',
    isSecret: true,
    default: 'https://api.openai.com/v1/moderations',
    meaning: 'Moderation endpoint for `moderation`, with OpenAI’s interface.',
    parse: fetchedAddress,
  },
  MODERATION_API_KEY: {
    group: 'rarely',
    isSecret: true,
    meaning: 'API key for MODERATION_URL. Your own server may need none.',
    parse: token,
  },
  MODERATION_MODEL: {
    group: 'rarely',
    default: 'omni-moderation-latest',
    meaning: 'Model to request from MODERATION_URL.',
    parse: text,
  },
} as const satisfies Record<string, Row>
