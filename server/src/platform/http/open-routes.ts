import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether pages of other origins may read the replies. See `OPEN`. */
    isOpen?: boolean
  }
}

/**
 * The option of a route whose replies pages of any origin may read. Only for what is public and needs no credentials:
 * browsers then send no cookies, and since every origin may read it, caches need no `Vary: Origin`.
 */
export const OPEN = { config: { isOpen: true } } as const

const OPEN_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' } as const

/** Opens the replies of open routes, errors included. Call it before adding any route. */
export function openToAll(app: FastifyInstance): void {
  const open: onRequestHookHandler = ({ method, headers }, reply, done) => {
    // No cache keeps the reply to a POST, so only a page of another origin needs them there.
    if (method !== 'POST' || headers.origin !== undefined) reply.headers(OPEN_HEADERS)
    done()
  }
  app.addHook('onRoute', route => {
    if (route.config?.isOpen) route.onRequest = [open, ...[route.onRequest ?? []].flat()]
  })
}

/** Browsers keep the answer for less, each up to its own limit. */
const PREFLIGHT_SECONDS = 24 * 60 * 60

/**
 * Returns whether a browser asks if it may send a request, and it may. Headers may be any but `Authorization`, which
 * nothing here reads.
 *
 * @param methods which the address opens to other origins
 */
export const isAllowedPreflight = ({ method, headers }: FastifyRequest, methods: readonly string[]): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  methods.includes(headers['access-control-request-method'] ?? '')

export const sendPreflight = (reply: FastifyReply, methods: readonly string[]): FastifyReply =>
  reply
    .code(204)
    .headers({
      ...OPEN_HEADERS,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': '*',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    })
    .send()
