import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Destination } from '../../domain/destinations/destination.ts'
import { registrableDomain } from '../../domain/destinations/hostname.ts'
import { asListed, isOwnersToken } from '../../domain/ownership/site-owner.ts'
import type { RunningProof } from '../../domain/ownership/site-proof.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, PRIVATE_HEADERS } from '../../platform/http/headers.ts'
import { OWN_PATH } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { isFromElsewhere, requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { readAddress } from '../list/address-field.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { claimListing } from '../ui/private-link.tsx'
import { NO_TOKEN } from '../ui/site-proof.tsx'
import { waitText } from '../ui/time.tsx'
import { renderOwn } from './page.tsx'

/** An open page looks every ten seconds. */
const LOOKS_PER_TEN_MINUTES = 70
/**
 * For each website, which did not ask for visits, and the broadest network of a client. Counting all clients together
 * would let anyone keep the owner from the proof.
 */
const LOOKS_PER_TEN_MINUTES_OF_HOST = 140

interface OpenProof {
  destination: Destination
  running: RunningProof
}

/** The page on which owners prove a website, and get the private link of its listing. */
export function ownRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'serviceKeys' | 'sessions' | 'clock' | 'proofs' | 'allowances' | 'limits'>,
): void {
  const { links, store, proofs, allowances } = deps
  const onRequest = requireSameOrigin(links)
  const limit = (name: string, max: number) => allowance(allowances, { name, max, windowMs: TEN_MINUTES_MS })
  const checks = limit('proofChecksPerTenMinutesPerIp', deps.limits.checkoutsPerTenMinutesPerIp)
  const looks = limit('proofLooksPerTenMinutesPerIp', LOOKS_PER_TEN_MINUTES)
  const looksOfHost = allowance(allowances, {
    name: 'proofLooksPerTenMinutesOfHost',
    max: LOOKS_PER_TEN_MINUTES_OF_HOST,
    windowMs: TEN_MINUTES_MS,
    keyOf: request => {
      const { destination } = readAddress(addressIn(request), links)
      return `${destination && registrableDomain(destination.hostname)} ${clientNetworks(request)[0]}`
    },
  })

  const empty = { address: undefined, destination: undefined }
  app.get(OWN_PATH, async (request: FastifyRequest<{ Querystring: { address?: unknown } }>, reply) => {
    const { address } = request.query
    if (address === undefined) {
      return sendPublic(request, reply, renderOwn({ links, ...empty }), { cache: CACHE.home, tags: [] })
    }
    const read = await readListed(address)
    if (!read.destination) return show(reply, 400, read)
    const { key } = read.destination
    // From another website, the browser withholds the cookie of a proof that may be under way.
    const proof = isFromElsewhere(request) ? proofs.running(request, key) : proofs.begin(request, reply, key)
    return show(reply, 200, { ...read, proof })
  })

  app.post(`${OWN_PATH}/proof`, { onRequest }, async (request, reply) => {
    const { destination } = readAddress(addressIn(request), links)
    if (!destination) return reply.redirect(OWN_PATH, 303)
    proofs.begin(request, reply, destination.key)
    return reply.redirect(`${OWN_PATH}?address=${encodeURIComponent(destination.url)}#proofs`, 303)
  })

  app.post(`${OWN_PATH}/check`, { onRequest }, async (request, reply) => {
    const asked = await read(request, reply)
    if (!asked) return reply
    const { destination, running } = asked
    const seconds = await refusedBy([checks, looksOfHost], request, reply)
    const page = { address: destination.url, destination, proof: running }
    if (seconds !== undefined) return show(reply, 429, { ...page, message: tooMany(seconds) })
    const outcome = await proofs.look(request, destination, running)
    if (!outcome.foundBy) return show(reply, 422, { ...page, proof: { ...running, ...outcome }, message: NOT_FOUND })
    const proof = { ...running, place: outcome.foundBy }
    const result = await claimListing(deps, destination, proof, request, reply)
    return show(reply, 200, { ...page, result })
  })

  // A form that was not accepted leaves the browser at its address; reopening that leads back.
  for (const form of ['proof', 'check']) {
    app.get(`${OWN_PATH}/${form}`, (_, reply) => reply.headers(PRIVATE_HEADERS).redirect(OWN_PATH, 302))
  }

  // The page's script asks this while the page is open. It changes nothing, and the link is given by the form.
  app.post(`${OWN_PATH}/look`, { onRequest }, async (request, reply) => {
    const { destination } = await readListed(addressIn(request))
    const running = destination && proofs.running(request, destination.key)
    if (!destination || !running) throw new Problem('not_found')
    const seconds = await refusedBy([looks, looksOfHost], request, reply)
    if (seconds !== undefined) throw new Problem('rate_limited', { retryAfterSeconds: seconds })
    const outcome = await proofs.look(request, destination, running)
    reply.headers(PRIVATE_HEADERS)
    if (!outcome.foundBy) return { foundBy: null, isOwner: false, findings: outcome.findings }
    return {
      foundBy: outcome.foundBy,
      // Another link would end the one they have, and their feed, webhook and mail: that needs a click.
      isOwner: await isOwnersToken(store.db, destination, running.token),
      findings: {},
    }
  })

  /** The address in the spelling that is listed, if it is. */
  async function readListed(given: unknown): Promise<ReturnType<typeof readAddress>> {
    const read = readAddress(given, links)
    return read.destination ? { ...read, destination: await asListed(store.db, read.destination) } : read
  }

  /** The address of a form and the proof under way; otherwise sends a page that says what is missing. */
  async function read(request: FastifyRequest, reply: FastifyReply): Promise<OpenProof | undefined> {
    const address = await readListed(addressIn(request))
    const { destination } = address
    const running = destination && proofs.running(request, destination.key)
    if (destination && running) return { destination, running }
    if (destination) await show(reply, 400, { ...address, message: NO_TOKEN })
    else await show(reply, 400, address)
    return undefined
  }

  const show = (reply: FastifyReply, status: number, page: Omit<Parameters<typeof renderOwn>[0], 'links'>) =>
    sendHtml(reply.headers(PRIVATE_HEADERS), status, renderOwn({ links, ...page }))
}

const addressIn = ({ body }: FastifyRequest): unknown => (body as { address?: unknown } | undefined)?.address

const tooMany = (seconds: number) =>
  `Your network has checked too often. Please wait ${waitText(seconds)} and check again. Your token stays valid.`
const NOT_FOUND = 'We couldn’t find your token on the website yet. Below each proof is what we found there.'
