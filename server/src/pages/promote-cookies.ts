import type { FastifyReply } from 'fastify'
import type { Links } from '../http/links.ts'
import { PASS_COOKIE, PASS_LIFETIME_MS } from '../ownership/ownership-pass.ts'
import { PROOF_COOKIE, PROOF_LIFETIME_MS } from '../ownership/site-proof.ts'

/** Lets this browser go on as one that showed its ownership. */
export const givePass = (reply: FastifyReply, pass: string, links: Links) =>
  setCookie(reply, PASS_COOKIE, pass, PASS_LIFETIME_MS, links)

/** Lets this browser, and no other, use a token that it is going to put on its website. */
export const giveProof = (reply: FastifyReply, proof: string, links: Links) =>
  setCookie(reply, PROOF_COOKIE, proof, PROOF_LIFETIME_MS, links)

const setCookie = (reply: FastifyReply, name: string, value: string, lifetimeMs: number, links: Links) =>
  reply.setCookie(name, value, {
    path: '/promote',
    httpOnly: true,
    sameSite: 'strict',
    secure: links.base.startsWith('https:'),
    maxAge: lifetimeMs / 1000,
  })
