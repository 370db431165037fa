import type { FastifyReply, FastifyRequest } from 'fastify'
import { readOffer } from '../../checkout/offer.ts'
import { findPromotable, type PromotableListing } from '../../checkout/promotable.ts'
import type { Links } from '../../http/links.ts'
import { sendHtml } from '../../http/send.ts'
import { type Owned, type OwnershipPasses, PASS_COOKIE } from '../../ownership/pass.ts'
import { PROOF_COOKIE, type ProofOutcome, type SiteProofs } from '../../ownership/site-proof.ts'
import type { Store } from '../../storage/store.ts'
import { renderOffer } from './promote.tsx'
import { type Choice, readChoice } from './promote-choice.ts'
import { renderChoose } from './promote-choose.tsx'
import { renderDown } from './promote-down.tsx'
import type { Ownership } from './promote-ownership.tsx'

export interface ViewDependencies {
  links: Links
  store: Store
  passes: OwnershipPasses
  proofs: SiteProofs
  clock: () => number
}

/** A complete choice of a website that can be promoted. */
export interface Chosen {
  choice: Choice
  listing: PromotableListing | undefined
}

/** What the visitor must own. */
export const ownedIn = ({ choice, listing }: Chosen): Owned => ({
  destinationKey: choice.destination.key,
  linkVersion: listing?.linkVersion,
})

/** Reads a choice. @returns a page instead, if a part is missing or the listing is down */
export async function readChosen(
  { links, store, clock }: ViewDependencies,
  given: unknown,
): Promise<Chosen | { isDown: boolean; html: string }> {
  const read = readChoice((given ?? {}) as Record<string, unknown>, links)
  const { destination, board, targetBid } = read
  const promotable = destination && (await findPromotable(store.db, destination.key, clock()))
  if (destination && promotable?.isDown) return { isDown: true, html: renderDown(destination, links) }
  const listing = promotable?.isDown === false ? promotable.listing : undefined
  // A listing keeps its category, whatever a link says.
  const category = listing?.category ?? read.category
  if (!destination || !category || !board || !targetBid) {
    return { isDown: false, html: renderChoose({ read, listing }, links) }
  }
  return { choice: { destination, category, board, targetBid }, listing }
}

interface Showing {
  status?: number
  /** The result of the visitor's last step. */
  message?: string
  /** A link after the message. */
  link?: { href: string; text: string }
  /** The result of a check that did not find the token. */
  outcome?: ProofOutcome
}

/** Shows the offer for a choice, with the current price and the ownership this browser has proved. */
export async function sendOffer(
  deps: ViewDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  chosen: Chosen,
  { status = 200, message, link, outcome }: Showing = {},
): Promise<FastifyReply> {
  const { choice, listing } = chosen
  const { destination, board, targetBid } = choice
  const now = deps.clock()
  const offer = await readOffer(
    deps.store,
    { destinationKey: destination.key, board, targetBid },
    listing,
    now,
  )
  const ownership = ownershipOf(deps, request, ownedIn(chosen), now, outcome)
  return sendHtml(reply, status, renderOffer({ choice, offer, ownership, links: deps.links, message, link }))
}

function ownershipOf(
  { passes, proofs }: ViewDependencies,
  { cookies, headers }: FastifyRequest,
  owned: Owned,
  now: number,
  outcome: ProofOutcome | undefined,
): Ownership {
  const running = proofs.token(cookies[PROOF_COOKIE], owned.destinationKey, now)
  const findings = outcome && 'findings' in outcome ? outcome.findings : []
  return {
    pass: passes.read(cookies[PASS_COOKIE], owned, now),
    proof: running && {
      ...running,
      findings: Object.fromEntries(findings.map(({ place, what }) => [place, what])),
    },
    comesFromElsewhere: /^(cross|same)-site$/.test(String(headers['sec-fetch-site'])),
  }
}
