import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_LIFETIME_MS } from '../../domain/moderation/console/passkeys.ts'
import { SESSION_LIFETIME_MS as CONSOLE_LIFETIME_MS } from '../../domain/moderation/console/sessions.ts'
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

/** Lets this browser act on the private page of one claim. */
export const sessionCookie = (claimId: string): Cookie => ({
  name: SESSION_COOKIE,
  path: `/manage/${claimId}`,
  lifetimeMs: SESSION_LIFETIME_MS,
})
/** Remembers that this browser has proved ownership. */
export const PASS: Cookie = { name: PASS_COOKIE, path: '/promote', lifetimeMs: PASS_LIFETIME_MS }
/** Ties a site-proof token to this browser, so that no other can use it. */
export const PROOF: Cookie = { name: PROOF_COOKIE, path: '/', lifetimeMs: PROOF_LIFETIME_MS }
/** Lets this browser into the operator's console. */
export const CONSOLE: Cookie = { name: 'placard_console', path: '/console', lifetimeMs: CONSOLE_LIFETIME_MS }
/** Ties a challenge for a passkey to this browser. */
export const CHALLENGE: Cookie = { name: 'placard_challenge', path: '/console', lifetimeMs: CHALLENGE_LIFETIME_MS }

/** What a cookie's name begins with, as this site's visitors see it. */
export const cookiePrefix = (links: Links): string => (isHttps(links) ? '__Host-' : '')

/**
 * Browsers accept a name with `__Host-` only from this host, over https and for all paths: so no neighbour under the
 * same domain can set one. Since the path no longer tells one private page's cookie from another's, its name does.
 */
const nameOf = ({ name, path }: Cookie, links: Links): string =>
  `${cookiePrefix(links)}${name}${isHttps(links) && name === SESSION_COOKIE ? `_${path.split('/').at(-1)}` : ''}`

const isHttps = ({ base }: Links) => base.startsWith('https:')

export const giveCookie = (reply: FastifyReply, cookie: Cookie, value: string, links: Links) =>
  reply.setCookie(nameOf(cookie, links), value, {
    ...ours(cookie, links),
    maxAge: cookie.lifetimeMs / 1000,
  })

export const sentCookie = ({ cookies }: FastifyRequest, cookie: Cookie, links: Links): string | undefined =>
  cookies[nameOf(cookie, links)]

export const takeCookie = (reply: FastifyReply, cookie: Cookie, links: Links) =>
  reply.clearCookie(nameOf(cookie, links), ours(cookie, links))

/** A cookie that scripts cannot read and other websites cannot send. */
const ours = ({ path }: Cookie, links: Links) => ({
  path: isHttps(links) ? '/' : path,
  httpOnly: true,
  sameSite: 'strict' as const,
  secure: isHttps(links),
})
