import type { ReviewReason } from '@placard/contract'

/** The meaning of a list's answer. */
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
