import { BODY_MAX_BYTES, editDistance, LISTINGS_PATH, PUBLISH_PATH } from '@placard/contract'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import findMyWay from 'find-my-way'
import type { Links } from './links.ts'
import { bodyTooLarge, Problem } from './problem.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Accepts only JSON in UTF-8: other content types have no parser, and so get 415. */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)))
    } catch {
      done(new Problem('invalid_json'))
    }
  })
}

/**
 * Refuses a body with another media type or none, with a content coding, or with a declared length above `maxBytes`,
 * all without reading it. The parser stops a larger body that does not declare its length.
 */
export const requireJsonUpTo =
  (maxBytes: number): onRequestHookHandler =>
  ({ headers }, _reply, done) => {
    const { 'content-type': type, 'content-encoding': coding } = headers
    const isJson = type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
    if (!isJson || (coding !== undefined && coding.trim().toLowerCase() !== 'identity')) {
      return done(new Problem('unsupported_media_type'))
    }
    const declaredBytes = Number(headers['content-length'] ?? 0)
    done(declaredBytes > maxBytes ? bodyTooLarge(maxBytes) : undefined)
  }

/** For the bodies of publish and quote. */
export const requireJson = requireJsonUpTo(BODY_MAX_BYTES)

/** Returns whether a page of another origin made the browser send a request. Old browsers and servers don't say. */
export const isFromElsewhere = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site'

/**
 * Refuses a request that a browser sent from another origin (spec 1, 7.1). Servers send neither header. Our own pages
 * may call. `Origin: null` (sandboxed frames, redirects) and other subdomains may not.
 *
 * @param detail what was refused, if the general message does not say it
 */
export function rejectCrossOrigin(links: Links, detail?: string): onRequestHookHandler {
  return (request, _reply, done) => {
    const { origin = links.base } = request.headers
    done(
      origin !== links.base || isFromElsewhere(request) ? new Problem('cross_origin_rejected', { detail }) : undefined,
    )
  }
}

/**
 * Refuses a request of a page whose own host name leads to this service, although it isn't ours (DNS rebinding, which
 * MCP requires servers to prevent). Its DNS was changed after the page was loaded, so the browser does not know that
 * the request crosses origins.
 */
export function rejectRebinding(links: Links): onRequestHookHandler {
  return ({ headers: { origin, host } }, _reply, done) => {
    const isRebound = origin !== undefined && origin !== links.base && origin.replace(/^https?:\/\//, '') === host
    done(isRebound ? new Problem('cross_origin_rejected') : undefined)
  }
}

/** A host name or IP address, as in a URL, and an optional port. */
const HOST = /^([\w.~-]+|\[[\da-f:.]+\])(:\d*)?$/i

/**
 * Returns the problem with a request that does not name its host exactly once (RFC 9112, 3.2), because a proxy and this
 * service could each use a different one. HTTP/1.0 may name none, and probes of load balancers use that.
 */
export function hostProblem({ raw }: FastifyRequest): Problem | undefined {
  const { rawHeaders, httpVersionMinor } = raw
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (++hosts > 1 || !HOST.test(rawHeaders[at + 1] ?? '')) return invalid()
  }
  return hosts === 0 && httpVersionMinor !== 0 ? invalid() : undefined
}

const invalid = () =>
  new Problem('invalid_request', {
    field: 'Host',
    detail: 'Send the Host header once, with one host and an optional port.',
  })

/** The methods of an address, and those that pages of any origin may use. */
interface Methods {
  all: string[]
  open: string[]
}

/**
 * Collects all addresses. Call it before adding any route.
 *
 * @returns functions for requests without a route: `methodsOf` returns the methods of the address, or undefined if it is
 * unknown; `unknownAddress` returns the 404, which suggests an address that is spelled nearly the same
 */
export function knownAddresses(app: FastifyInstance) {
  const methodsByUrl = new Map<string, Methods>()
  app.addHook('onRoute', ({ url, method, config }) => {
    const methods = methodsByUrl.get(url) ?? { all: [], open: [] }
    methodsByUrl.set(url, methods)
    methods.all.push(...[method].flat())
    if (config?.isOpen) methods.open.push(...[method].flat())
  })
  let lookup: ReturnType<typeof lookupIn> | undefined
  // The first request without a route builds it, so that no start waits for it.
  const known = () => (lookup ??= lookupIn(methodsByUrl))
  return {
    methodsOf({ method, url }: FastifyRequest): Methods | undefined {
      if (!app.supportedMethods.includes(method)) return undefined
      const found = known().router.find('GET', url)
      return found ? (found.store as Methods) : undefined
    },
    unknownAddress: (request: FastifyRequest) =>
      new Problem('not_found', { meant: suggestion(request, known().nameable) }),
  }
}

/** The router has one entry per address, because a route for every other method of every address would take long. */
function lookupIn(methodsByUrl: ReadonlyMap<string, Methods>) {
  const router = findMyWay()
  for (const [url, methods] of methodsByUrl) router.on('GET', url, () => {}, methods)
  const nameable = [...methodsByUrl].map(([path, { all }]): Nameable => ({ path, parts: partsOf(path), methods: all }))
  return { router, nameable }
}

/** Returns the 405. Agents guess that a listing is published where all are read. */
export const wrongMethod = ({ method, url }: FastifyRequest): Problem =>
  new Problem('method_not_allowed', {
    meant: method === 'POST' && url === LISTINGS_PATH ? `POST ${PUBLISH_PATH}` : undefined,
  })

/** Longer addresses are not compared, because scanners send many. */
const SUGGESTED_MAX_LENGTH = 80

interface Nameable {
  path: string
  parts: string[]
  methods: readonly string[]
}

/** Suggests the address that a path nearly names, if there is one. A parameter stands for any part. */
function suggestion({ method, url }: FastifyRequest, nameable: Nameable[]): string | undefined {
  if (url.length > SUGGESTED_MAX_LENGTH) return undefined
  const wanted = partsOf(url)
  const [nearest] = nameable
    .filter(({ parts }) => parts.length === wanted.length && !parts.some(part => part.includes('*')))
    .flatMap(({ path, parts, methods }) => {
      const fixed = parts.map((part, nth) => [part, wanted[nth] ?? '']).filter(([part]) => !part?.startsWith(':'))
      const [meant, asked] = [0, 1].map(side => fixed.map(pair => pair[side]).join('/'))
      if (!meant || !asked || asked.length < 3) return []
      const allowed = asked.length < 7 ? 1 : 3
      const edits = editDistance(asked, meant, allowed)
      // By edits within the API or outside. Two may have one name: where listings are read, and where one is published.
      const rank = (isApi(path) === isApi(url) ? 0 : 100) + 2 * edits + (methods.includes(method) ? 0 : 1)
      return edits > allowed ? [] : [{ path, rank, method: methods.includes(method) ? method : methods[0] }]
    })
    .sort((one, other) => one.rank - other.rank)
  if (!nearest) return undefined
  const address = nearest.path
    .replace(/:\w+\(([a-z|]+)\)/g, '{$1}') // A parameter that takes only some words shows them.
    .replace(/:(\w+)(?:\([^)]*\))?/g, '{$1}')
  return `${nearest.method} ${address}`
}

const isApi = (path: string): boolean => path.startsWith('/api/')

/** The parts of a path without query and case, and without what is often left out or added. */
const partsOf = (url: string): string[] =>
  (url.split(/[?#]/, 1)[0] ?? '')
    .toLowerCase()
    .replace(/\/(?:api|v\d|agents?)(?=\/)|\/$|\.md$/g, '')
    .split('/')
    .slice(1)

/**
 * Accepts only requests from our own pages. Only browsers use these pages, so a request without the headers is refused
 * too, unlike publishing, which servers call without them.
 *
 * Sec-Fetch-Site decides where it is sent, because a form on a page without a referrer has `Origin: null`. Over plain
 * http, browsers send Sec-Fetch-Site only to loopback; elsewhere such a form cannot prove its origin.
 */
export function requireSameOrigin(links: Links) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const site = headers['sec-fetch-site']
    const own = site === undefined ? headers.origin === links.base : site === 'same-origin'
    if (!own) {
      throw new Problem('cross_origin_rejected', {
        detail: 'This address only accepts requests from pages of this site.',
      })
    }
  }
}
