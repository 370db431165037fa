import type { FastifyReply } from 'fastify'
import { CONSOLE_COOKIE, SESSION_LIFETIME_MS as CONSOLE_LIFETIME_MS } from '../../console/entry.ts'
import type { Links } from '../../http/links.ts'
import { PASS_COOKIE, PASS_LIFETIME_MS } from '../../ownership/pass.ts'
import { SESSION_COOKIE, SESSION_LIFETIME_MS } from '../../ownership/session.ts'
import { PROOF_COOKIE, PROOF_LIFETIME_MS } from '../../ownership/site-proof.ts'

/** Lets this browser act on the private page of one claim. */
export const giveSession = (reply: FastifyReply, session: string, claimId: string, links: Links) =>
  reply.setCookie(SESSION_COOKIE, session, ours(`/manage/${claimId}`, SESSION_LIFETIME_MS, links))

/** Remembers that this browser has proved ownership. */
export const givePass = (reply: FastifyReply, pass: string, links: Links) =>
  reply.setCookie(PASS_COOKIE, pass, ours('/promote', PASS_LIFETIME_MS, links))

/** Ties a site-proof token to this browser, so that no other can use it. */
export const giveProof = (reply: FastifyReply, proof: string, links: Links) =>
  reply.setCookie(PROOF_COOKIE, proof, ours('/promote', PROOF_LIFETIME_MS, links))

/** Lets this browser into the operator's console. */
export const giveConsole = (reply: FastifyReply, session: string, links: Links) =>
  reply.setCookie(CONSOLE_COOKIE, session, ours('/console', CONSOLE_LIFETIME_MS, links))

export const takeConsole = (reply: FastifyReply, links: Links) =>
  reply.clearCookie(CONSOLE_COOKIE, ours('/console', 0, links))

/** A cookie that scripts cannot read and other websites cannot send. */
const ours = (path: string, lifetimeMs: number, links: Links) => ({
  path,
  httpOnly: true,
  sameSite: 'strict' as const,
  secure: links.base.startsWith('https:'),
  maxAge: lifetimeMs / 1000,
})
