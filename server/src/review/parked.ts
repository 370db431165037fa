import { registrableDomain } from '../destinations/hostname.ts'
import type { UnjudgedPage } from '../reading/page.ts'

/** Domains that parking and domain-sale services load their pages from. */
const PARKING_DOMAINS = new Set([
  'above.com',
  'afternic.com',
  'atom.com',
  'bodis.com',
  'cashparking.com',
  'd38psrni17bvxu.cloudfront.net',
  'dan.com',
  'domainmarket.com',
  'efty.com',
  'hugedomains.com',
  'parkingcrew.net',
  'parklogic.com',
  'sedo.com',
  'sedoparking.com',
  'skenzo.com',
  'undeveloped.com',
  'voodoo.com',
])

/** Phrases of parked pages, grouped by meaning: two phrases of one group are one signal. */
const PHRASES = [
  /\bdomain for sale\b|\b(?:domain(?: name)?|[a-z0-9-]{1,63}\.[a-z]{2,20}) (?:is|may be|might be|could be) (?:available )?for sale\b/i,
  /\b(?:domain|website|site|page|[a-z0-9-]{1,63}\.[a-z]{2,20}) (?:is|has been) (?:currently )?parked\b|\bparked (?:free|domain)\b/i,
  /\b(?:buy|purchase|acquire|get|own) this domain\b|\b(?:inquire about|make an offer (?:on|for)) this domain\b/i,
]

/** A parked page is short. A longer text is about such phrases, rather than using them. */
const PARKED_TEXT_MAX_LENGTH = 3_000

/** Whether at least two different signals show that nobody uses the domain. Honest pages may have one. */
export function looksParked(page: UnjudgedPage): boolean {
  if (page.text.length > PARKED_TEXT_MAX_LENGTH) return false
  const words = `${page.metadata.title}\n${page.metadata.description}\n${page.text}`
  const phrases = PHRASES.filter(phrase => phrase.test(words)).length
  const host = usesParkingService(page)
  // A parking service's page is often nothing but its script.
  const isBare = host && page.hasScript && page.text === ''
  return phrases + Number(host) + Number(isBare) >= 2
}

function usesParkingService(page: UnjudgedPage): boolean {
  const own = registrableDomain(new URL(page.url).hostname)
  return page.linkedHosts.some(host => {
    const domain = registrableDomain(host)
    return PARKING_DOMAINS.has(domain) && domain !== own
  })
}
