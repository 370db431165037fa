import { CONTRACT_VERSION } from '@placard/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { presetTarget, readOffer, readPresets } from '../../domain/checkout/offer.ts'
import { findPromotable, type PromotableListing } from '../../domain/checkout/price.ts'
import type { Owned } from '../../domain/ownership/signed-cookies.ts'
import type { ProofFindings } from '../../domain/ownership/site-proof.ts'
import type { Store } from '../../platform/db/store.ts'
import { COPYING_HEADERS } from '../../platform/http/headers.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isFromElsewhere } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { PASS, sentCookie } from '../ui/cookies.ts'
import type { Needs } from '../ui/page-parts.ts'
import { type Choice, type ReadChoice, readChoice } from './choice.ts'
import type { Presets } from './choice-form.tsx'
import { renderDown } from './frame.tsx'
import { renderBuying } from './page.tsx'
import type { Ownership } from './steps.tsx'

export type ViewDependencies = Needs<'links' | 'store' | 'passes' | 'proofs' | 'clock'>

/** A complete choice of a website that can be promoted. */
export interface Chosen {
  choice: Choice
  read: ReadChoice
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
  const { destination, board, place } = read
  const promotable = destination && (await findPromotable(store.db, destination.key, clock()))
  if (destination && promotable?.isDown) return { isDown: true, html: renderDown(destination, links) }
  const listing = promotable?.isDown === false ? promotable.listing : undefined
  // A listing keeps its category, whatever a link says.
  const category = listing?.category ?? read.category
  const on = { board: board ?? 'all', destinationKey: destination?.key }
  const targetBid = place ? await presetTarget(store, place, on, clock()) : read.targetBid
  if (!destination || !category || !board || !targetBid) {
    const presets = await presetsIfRead(store, destination?.key, clock())
    const page = { read: { ...read, targetBid }, listing, presets, toBuy: undefined, links }
    return { isDown: false, html: renderBuying(page) }
  }
  return { choice: { destination, category, board, targetBid }, read: { ...read, targetBid }, listing }
}

/** For both boards; undefined if the ledger cannot be read, because a choice needs no price yet. */
async function presetsIfRead(store: Store, destinationKey: string | undefined, now: number) {
  try {
    return await presetsOf(store, destinationKey, now)
  } catch (error) {
    if (error instanceof Problem && error.code === 'payment_evidence_unavailable') return undefined
    throw error
  }
}

async function presetsOf(store: Store, destinationKey: string | undefined, now: number): Promise<Presets> {
  const [all, today] = await Promise.all(
    (['all', 'today'] as const).map(board => readPresets(store, { board, destinationKey }, now)),
  )
  return { all: all ?? [], today: today ?? [] }
}

interface Showing {
  status?: number
  /** The result of the visitor's last step. */
  message?: string
  /** A link after the message. */
  link?: { href: string; text: string }
  /** What a check found instead of the token. */
  findings?: ProofFindings
}

/** Shows a choice with its current price, and the ownership this browser has proved. */
export async function sendOffer(
  deps: ViewDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  chosen: Chosen,
  { status = 200, message, link, findings }: Showing = {},
): Promise<FastifyReply> {
  const { choice, read, listing } = chosen
  const { destination, board, targetBid } = choice
  const now = deps.clock()
  const [offer, presets] = await Promise.all([
    readOffer(deps.store, { destinationKey: destination.key, board, targetBid }, listing, now),
    presetsOf(deps.store, destination.key, now),
  ])
  const ownership = ownershipOf(deps, request, ownedIn(chosen), now, findings)
  const toBuy = { choice, offer, ownership, isAgreed: hasAgreed(request, offer.price.chargeAmountCents) }
  // Its scripts only copy a token that is there, and name the page of a reply.
  if (ownership.proof || message) reply.headers(COPYING_HEADERS)
  const page = { read, listing, presets, toBuy, links: deps.links, message, link }
  return sendHtml(reply, status, renderBuying(page))
}

/** Whether the form that led here agreed to the rules and to this amount. Another amount needs a new agreement. */
function hasAgreed({ body }: FastifyRequest, amountCents: number): boolean {
  const { rules, amount } = (body ?? {}) as { rules?: unknown; amount?: unknown }
  return rules === CONTRACT_VERSION && amount === String(amountCents)
}

function ownershipOf(
  { links, passes, proofs }: ViewDependencies,
  request: FastifyRequest,
  owned: Owned,
  now: number,
  findings: ProofFindings | undefined,
): Ownership {
  const running = proofs.running(request, owned.destinationKey)
  return {
    pass: passes.read(sentCookie(request, PASS, links), owned, now),
    proof: running && { ...running, ...(findings && { findings }) },
    comesFromElsewhere: isFromElsewhere(request),
  }
}
