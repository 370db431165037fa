import type { Links } from '../../../platform/http/links.ts'
import type { Listing } from '../../listings/listing.ts'
import type { Notice } from './notice.ts'

export type EventListing = Pick<Listing, 'slug' | 'title' | 'url'>

/** The types of events by kind of notice. Their shapes are in `docs/owners.md`. */
const TYPES: Record<Notice['kind'], string> = {
  overtaken: 'listing.overtaken',
  ends_soon: 'listing.ends_soon',
  page_gone: 'listing.page_gone',
  taken_down: 'listing.taken_down',
  claim_waits: 'listing.claim_waits',
  proof_missing: 'listing.proof_missing',
  drawn: 'listing.drawn',
  test: 'test',
}

/** Returns the body of the event for a notice. All of it is public. */
export function eventOf(notice: Notice, listing: EventListing, links: Links): string {
  const { kind, at } = notice
  const { title, url, slug } = listing
  return JSON.stringify({
    type: TYPES[kind],
    timestamp: new Date(at).toISOString(),
    data: { listing: { title, website: url, productUrl: links.product(slug) }, ...dataOf(notice, links) },
  })
}

function dataOf(notice: Notice, links: Links): Record<string, unknown> {
  switch (notice.kind) {
    case 'overtaken': {
      const { board, from, to } = notice.facts
      const { by } = notice
      return { board, from, to, by: by ? { title: by.title, productUrl: links.product(by.slug) } : null }
    }
    case 'ends_soon':
      return { expiresAt: notice.facts.endsAt }
    case 'page_gone':
    case 'taken_down':
    case 'claim_waits':
    case 'proof_missing':
    case 'drawn':
      return notice.facts
    case 'test':
      return {}
  }
}
