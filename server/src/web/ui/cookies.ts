import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_COOKIE, CHALLENGE_LIFETIME_MS } from '../../domain/moderation/console/passkeys.ts'
import { CONSOLE_COOKIE, SESSION_LIFETIME_MS as CONSOLE_LIFETIME_MS } from '../../domain/moderation/console/sessions.ts'
import {
  PASS_COOKIE,
  PASS_LIFETIME_MS,
  SESSION_COOKIE,
  SESSION_LIFETIME_MS,
} from '../../domain/ownership/signed-cookies.ts'
import { PROOF_COOKIE, PROOF_LIFETIME_MS } from '../../domain/ownership/site-proof.ts'
import type { Links } from '../../platform/http/links.ts'

interface Cookie {
  name: string
  path: string
  lifetimeMs: number
}

const PASS: Cookie = { name: PASS_COOKIE, path: '/promote', lifetimeMs: PASS_LIFETIME_MS }
const PROOF: Cookie = { name: PROOF_COOKIE, path: '/', lifetimeMs: PROOF_LIFETIME_MS }
const CONSOLE: Cookie = { name: CONSOLE_COOKIE, path: '/console', lifetimeMs: CONSOLE_LIFETIME_MS }
const CHALLENGE: Cookie = { name: CHALLENGE_COOKIE, path: '/console', lifetimeMs: CHALLENGE_LIFETIME_MS }
const sessionOf = (claimId: string): Cookie => ({
  name: SESSION_COOKIE,
  path: `/manage/${claimId}`,
  lifetimeMs: SESSION_LIFETIME_MS,
})

/** Lets this browser act on the private page of one claim. */
export const giveSession = (reply: FastifyReply, session: string, claimId: string, links: Links) =>
  give(reply, sessionOf(claimId), session, links)
export const sentSession = (request: FastifyRequest, claimId: string, links: Links) =>
  sent(request, sessionOf(claimId), links)

/** Remembers that this browser has proved ownership. */
export const givePass = (reply: FastifyReply, pass: string, links: Links) => give(reply, PASS, pass, links)
export const sentPass = (request: FastifyRequest, links: Links) => sent(request, PASS, links)

/** Ties a site-proof token to this browser, so that no other can use it. */
export const giveProof = (reply: FastifyReply, proof: string, links: Links) => give(reply, PROOF, proof, links)
export const sentProof = (request: FastifyRequest, links: Links) => sent(request, PROOF, links)

/** Lets this browser into the operator's console. */
export const giveConsole = (reply: FastifyReply, session: string, links: Links) => give(reply, CONSOLE, session, links)
export const sentConsole = (request: FastifyRequest, links: Links) => sent(request, CONSOLE, links)
export const takeConsole = (reply: FastifyReply, links: Links) =>
  reply.clearCookie(nameOf(CONSOLE, links), ours(CONSOLE, links))

/** Ties a challenge for a passkey to this browser. */
export const giveChallenge = (reply: FastifyReply, cookie: string, links: Links) =>
  give(reply, CHALLENGE, cookie, links)
export const sentChallenge = (request: FastifyRequest, links: Links) => sent(request, CHALLENGE, links)

/** What a cookie's name begins with, as this site's visitors see it. */
export const cookiePrefix = (links: Links): string => (isHttps(links) ? '__Host-' : '')

/**
 * Browsers accept a name with `__Host-` only from this host, over https and for all paths: so no neighbour under the
 * same domain can set one. Since the path no longer tells one private page's cookie from another's, its name does.
 */
const nameOf = ({ name, path }: Cookie, links: Links): string =>
  `${cookiePrefix(links)}${name}${isHttps(links) && name === SESSION_COOKIE ? `_${path.split('/').at(-1)}` : ''}`

const isHttps = ({ base }: Links) => base.startsWith('https:')

const give = (reply: FastifyReply, cookie: Cookie, value: string, links: Links) =>
  reply.setCookie(nameOf(cookie, links), value, {
    ...ours(cookie, links),
    maxAge: cookie.lifetimeMs / 1000,
  })

const sent = ({ cookies }: FastifyRequest, cookie: Cookie, links: Links): string | undefined =>
  cookies[nameOf(cookie, links)]

/** A cookie that scripts cannot read and other websites cannot send. */
const ours = ({ path }: Cookie, links: Links) => ({
  path: isHttps(links) ? '/' : path,
  httpOnly: true,
  sameSite: 'strict' as const,
  secure: isHttps(links),
})
