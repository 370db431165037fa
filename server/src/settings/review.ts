import { listOfZone } from '../review/online/dns-lists.ts'
import { Secret } from '../secret.ts'
import type { Row } from './row.ts'
import { addressAndPort, fetchedAddress, listOf, origin, text, wholeNumber } from './values.ts'

/** The reviewers that there are. */
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

/** A reviewer's name, or `name:flag` for one that decides nothing. */
function chosenReviewer(value: string): { name: ReviewerName; decides: boolean } {
  const [given, role] = value.split(':', 2)
  const name = REVIEWERS.find(each => each === given)
  if (name !== undefined && (role === undefined || role === 'flag'))
    return { name, decides: role === undefined }
  throw new Error(`must be a list of ${REVIEWERS.join(', ')}, each alone or with :flag, not "${value}"`)
}

/** @returns a host name in lower case and ASCII */
function hostName(value: string): string {
  const url = URL.canParse(`http://${value}`) ? new URL(`http://${value}`) : undefined
  if (url?.hostname.includes('.') && url.href === `http://${url.hostname}/`) return url.hostname
  throw new Error(`must be a list of host names like example.com, not "${value}"`)
}

/** The value may hold a customer's key: the message must not repeat it. */
function dnsZone(value: string): string {
  const zone = value.toLowerCase()
  if (listOfZone(zone)) return zone
  throw new Error(
    'must be a list of dbl.spamhaus.org, KEY.dbl.dq.spamhaus.net, KEY.zrd.dq.spamhaus.net, multi.surbl.org: the lists whose answers we know',
  )
}

const apiKey = (value: string): Secret => new Secret(Buffer.from(value))

/** Who reviews pages. */
export const REVIEW_SETTINGS = {
  REVIEWERS: {
    default: 'page-rules,blocklists,look-alikes,phrases',
    meaning: `Comma-separated list of those who review pages, of ${REVIEWERS.join(', ')}. \`name:flag\` only notes what it finds. [review](review.md) says what each does.`,
    parse: listOf(chosenReviewer),
  },
  BLOCKLISTS: {
    unset: 'none',
    meaning:
      'Comma-separated list of files, or folders of files, with hosts to refuse. Changes are read within five seconds.',
    parse: listOf(text),
  },
  LOOKS_PER_HOUR: {
    default: '120',
    meaning:
      'How many listed pages are read again in an hour, by all processes together; 0 for none. [review](review.md) says which.',
    parse: wholeNumber(0, 100_000),
  },
  PROTECTED_HOSTS: {
    unset: 'none',
    meaning: 'Comma-separated list of hosts whose names `look-alikes` protects, beside those it knows.',
    parse: listOf(hostName),
  },
  DNS_FILTER: {
    default: '9.9.9.9',
    meaning: 'Resolver that says of harmful names that they do not exist, for `dns-filter`.',
    parse: addressAndPort,
  },
  DNS_FILTER_PLAIN: {
    default: '9.9.9.10',
    meaning: 'The same resolver without its filter.',
    parse: addressAndPort,
  },
  DNS_BLOCKLISTS: {
    unset: 'none',
    meaning:
      'Comma-separated zones for `dns-blocklists`, asked through DNS_SERVERS: dbl.spamhaus.org, multi.surbl.org, or those of a Spamhaus customer.',
    parse: listOf(dnsZone),
  },
  WEB_RISK_API_KEY: {
    unset: 'none',
    meaning: 'API key of a Google Cloud project with Web Risk, for `web-risk`.',
    parse: apiKey,
  },
  WEB_RISK_API_URL: {
    default: 'https://webrisk.googleapis.com',
    meaning: 'Another address for Web Risk. Only for tests.',
    parse: origin,
  },
  MODERATION_URL: {
    default: 'https://api.openai.com/v1/moderations',
    meaning: 'Address of an endpoint like OpenAI’s for moderation, for `moderation`.',
    parse: fetchedAddress,
  },
  MODERATION_API_KEY: {
    unset: 'none',
    meaning: 'Its API key. A server of your own may need none.',
    parse: apiKey,
  },
  MODERATION_MODEL: {
    default: 'omni-moderation-latest',
    meaning: 'The model that it is asked for.',
    parse: text,
  },
} as const satisfies Record<string, Row>
