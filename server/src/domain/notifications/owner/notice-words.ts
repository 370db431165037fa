import type { Board, ReviewReason } from '@placard/contract'
import type { Links } from '../../../platform/http/links.ts'
import { clockText, dayText, plainText } from '../../../platform/lib/text.ts'
import type { Listing } from '../../listings/listing.ts'

/** A notification as it is stored: without names, because those can change and be hidden. */
export type NoticeContent =
  | SharedNotice
  | { kind: 'overtaken'; facts: { board: Board; from: number; to: number; byListingId: number | null } }
  /** The service has hidden the listing. `reason` is a review reason. */
  | { kind: 'taken_down'; facts: { reason: ReviewReason } }
  /** Requested by the owner, only for the webhook. */
  | { kind: 'test'; facts: Record<string, never> }

/** The notifications that say the same in the feed and by mail. */
export type SharedNotice =
  | { kind: 'ends_soon'; facts: { endsAt: number } }
  | { kind: 'page_gone'; facts: { failingSince: number; httpStatus: number | null } }
  /** Another person proved the website. They become the owner at `until`, unless the owner proves it again. */
  | { kind: 'claim_waits'; facts: { until: number } }
  /** The proof of the website is gone. At `until`, the listing no longer says that its owner is verified. */
  | { kind: 'proof_missing'; facts: { until: number } }
  /** Drawn by lot, at a place from 1. Its day is a UTC day. */
  | { kind: 'drawn'; facts: { day: string; place: number } }

interface Words {
  title: string
  sentences: readonly string[]
  /** Where to see it, if not on the private page. */
  see?: { label: string; href: string }
}

const NAME_MAX_LENGTH = 60
const URL_MAX_LENGTH = 1_000

/** Returns the address of a website as people write it. */
export const nameOf = ({ url }: Pick<Listing, 'url'>): string =>
  plainText(url.replace(/^https?:\/\//, '').replace(/\/$/, ''), NAME_MAX_LENGTH)

export const BOARD_PERIOD: Record<Board, string> = { all: 'of all time', today: 'today' }
export const rankText = (rank: number): string => `No. ${rank.toLocaleString('en')}`

/** Returns what a notification says to the owner. */
export function wordsOf({ kind, facts }: SharedNotice, listing: Pick<Listing, 'url' | 'slug'>, links: Links): Words {
  const name = nameOf(listing)
  switch (kind) {
    case 'ends_soon':
      return {
        title: `The listing of ${name} ends on ${dayText(facts.endsAt)}`,
        sentences: [
          `At ${clockText(facts.endsAt)} UTC its free days are over, and we no longer show it. Nothing is charged, and nothing renews on its own.`,
          ...(links.site.sellsPlaces ? ['With a paid place, it has no scheduled end.'] : []),
        ],
      }
    case 'page_gone': {
      const { failingSince, httpStatus } = facts
      const why = httpStatus === null ? 'We couldn’t load your page' : `Your page answered with status ${httpStatus}`
      return {
        title: `${name} no longer loads`,
        sentences: [
          `${why}, at least twice since ${dayText(failingSince)}: ${plainText(listing.url, URL_MAX_LENGTH)}`,
          'The listing stays up for now. If the page stays away, the operator reviews it.',
        ],
        see: { label: 'See your listing', href: links.product(listing.slug) },
      }
    }
    case 'drawn': {
      const { day, place } = facts
      return {
        title: `${name} was drawn by lot`,
        sentences: [
          `It hangs on our home page on ${dayText(Date.parse(day))}, until midnight UTC, drawn as number ${place}. Every listing has the same chance, and payments don’t change it.`,
        ],
        see: { label: 'See the draw', href: `${links.base}/draw/${day}` },
      }
    }
    case 'claim_waits':
      return {
        title: `Someone else proved that ${name} is theirs`,
        sentences: [
          `They get the private link of this listing on ${dayText(facts.until)}, ${clockText(facts.until)} UTC. To keep it, prove the website again on your private page before that. Then the operator decides.`,
        ],
      }
    case 'proof_missing':
      return {
        title: `We no longer find your proof on ${name}`,
        sentences: [
          `From ${dayText(facts.until)} on, the listing no longer says that its owner is verified. Put the proof back, or prove the website again on your private page.`,
        ],
      }
  }
}
