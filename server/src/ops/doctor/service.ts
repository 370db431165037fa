import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { CAPABILITIES_PATH, type Capabilities, QUOTE_PATH } from '@placard/contract'
import { readWebhookEndpoints, type WebhookEndpoint } from '../../domain/payments/stripe.ts'
import { HANDLED_EVENTS } from '../../domain/payments/stripe-events.ts'
import { WEBHOOK_PATH } from '../../domain/payments/webhook.ts'
import { type Config, isLoopback } from '../../platform/config/config.ts'
import type { Links } from '../../platform/http/links.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { trustAdvice } from '../../platform/lib/untrusted-certificate.ts'
import { type Check, failed, ok, warning } from './finding.ts'

const TIMEOUT_MS = 10_000
/** Beyond this, signed webhooks and the ends of days are close to going wrong. */
const CLOCK_OFF_MAX_MS = 5_000
/** Several processes may each return an outdated count, so a few are needed. */
const SPOOFED_REQUESTS = 5

/** Checks the running service over HTTP, as its users do. */
export const checkService = (config: Config, links: Links): Check[] => [
  { about: 'certificate', run: () => certificate(links) },
  { about: 'address', needs: ['certificate'], run: hasFailed => address(config, links, hasFailed) },
  { about: 'proxy', needs: ['certificate', 'database'], run: () => proxy(config, links) },
  { about: 'clock', needs: ['certificate', 'database'], run: () => clock(config, links) },
]

async function certificate({ base }: Links) {
  if (!base.startsWith('https:')) return []
  // The next check says that there is no connection.
  const found = await readCertificate(new URL(base)).catch(() => undefined)
  return found ? judgeCertificate('the site', found) : []
}

async function address({ baseUrl }: Config, links: Links, hasFailed: (about: string) => boolean) {
  const startedAt = performance.now()
  const probe = await ask(`${links.base}/readyz`).catch(error => {
    if (!hasFailed('database')) throw error
  })
  // Without its database, no service runs, and the check of the database says what to do.
  if (!probe) return []
  const ms = Math.round(performance.now() - startedAt)
  if (probe.status !== 200) {
    if (hasFailed('database')) return []
    return failed(`${links.base}/readyz answers ${probe.status}: its log says why it cannot serve`)
  }
  const reply = await ask(links.base + CAPABILITIES_PATH)
  const capabilities = (await reply.json().catch(() => null)) as Partial<Capabilities> | null
  const guide = URL.parse(capabilities?.agentGuide ?? '')
  if (!guide) {
    return failed(
      `${links.base} answers, but not as Placard: does its name lead here, and does the proxy pass on /api?`,
    )
  }
  if (guide.origin !== links.base) {
    return failed(
      `the service at ${links.base} calls itself ${guide.origin}: start it with the BASE_URL that this command has`,
    )
  }
  if (baseUrl?.startsWith('http:') && !isLoopback(new URL(baseUrl).hostname)) {
    return warning(`${baseUrl} answers without TLS: put a proxy with https in front of it`)
  }
  return ok(`${links.base} is ready, in ${ms} ms`)
}

/**
 * Checks whether clients are distinguished. Each request names another client. If the service believed it, each would
 * have its whole allowance left.
 */
async function proxy({ trustedProxies, baseUrl }: Config, links: Links) {
  const left: number[] = []
  let isRefused = false
  let server: string | null = null
  for (let nth = 1; nth <= SPOOFED_REQUESTS; nth++) {
    const reply = await ask(links.base + QUOTE_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${nth}` },
      body: '{}',
    })
    // The check of the address has said so.
    if (reply.status >= 500) return []
    isRefused ||= reply.status === 429
    server = reply.headers.get('via') ?? reply.headers.get('server')
    left.push(Number(/;r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1] ?? Number.NaN))
  }
  if (left.some(Number.isNaN)) {
    return failed('replies have no RateLimit header: a proxy removes it, or this is not Placard')
  }
  // One client has less left each time, but for the first time in a new minute.
  if (!isRefused && left.every((each, at) => each >= (left[at - 1] ?? 0))) {
    return failed(
      'the service believed each X-Forwarded-For that this command made up, so limits have no effect: configure the proxy to replace that header, and allow connections only from the proxy',
    )
  }
  const isBehind = server !== null || baseUrl?.startsWith('https:')
  if (isBehind && trustedProxies.length === 0) {
    return warning(
      'there is a proxy in front, but TRUSTED_PROXIES is not set: all clients count as one. Set it to the address of the proxy',
    )
  }
  if (!isBehind && trustedProxies.length > 0) {
    return warning('TRUSTED_PROXIES is set, but no proxy was found: is BASE_URL the address of the proxy?')
  }
  return ok(isBehind ? 'the proxy is trusted, and clients cannot choose their address' : 'none, and none is trusted')
}

async function clock({ stripe }: Config, links: Links) {
  const offMs = await clockOff(`${links.base}/healthz`)
  if (Number.isNaN(offMs)) return warning('the service sends no Date header: a proxy may remove it')
  if (offMs > CLOCK_OFF_MAX_MS) {
    return failed(`the service's clock is ${Math.round(offMs / 1000)} s away from this machine's: let NTP set both`)
  }
  // Often, the service is this machine. Stripe is another one, and refuses nothing here that would need the key.
  const stripeOffMs = stripe ? await clockOff(stripe.apiUrl ?? STRIPE_API).catch(() => 0) : 0
  return stripeOffMs > CLOCK_OFF_MAX_MS
    ? failed(`this machine's clock is ${Math.round(stripeOffMs / 1000)} s away from Stripe's: let NTP set it`)
    : ok(stripe ? 'the service, this machine and Stripe agree' : 'the service and this machine agree')
}

const STRIPE_API = 'https://api.stripe.com'

/** Returns how far the Date header of a reply is from this machine's clock; NaN without one. */
async function clockOff(url: string): Promise<number> {
  const before = Date.now()
  const { headers, body } = await ask(url)
  await body?.cancel()
  const serverTime = Date.parse(headers.get('date') ?? '')
  // The header has whole seconds.
  return Math.max(0, before - serverTime - 1000, serverTime - Date.now())
}

/** @throws Error in one line, with what to do */
async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    const { cause, message } = error as Error
    const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? message
    const { hostname, origin } = new URL(url)
    const hint = isIP(hostname) ? 'is the service running?' : 'is the service running, and does its name lead here?'
    throw new Error(`${origin} does not answer (${why}): ${hint}`)
  }
}

/** Checks Stripe: whether the key works, and whether Stripe sends every event. */
export const checkPayments = ({ payments, stripe }: Config, links: Links): Check[] => [
  {
    about: 'payments',
    async run() {
      if (payments === 'none' && !stripe) return ok('none: no places are for sale, and no page shows a price')
      if (!stripe) return ok('the sandbox, which moves no money; set PAYMENTS=stripe to take some')
      const endpoints = await readWebhookEndpoints(stripe)
      if (endpoints === 'forbidden') {
        return warning('STRIPE_SECRET_KEY may not read webhook endpoints: allow it, or check them at Stripe')
      }
      const problem = problemWith(endpoints, links.base + WEBHOOK_PATH)
      if (problem !== undefined) return failed(problem)
      const money = stripe.name === 'stripe' ? 'live money' : 'test money'
      return ok(
        `the key is for ${money}, and Stripe sends all ${HANDLED_EVENTS.length} events to ${links.base}${WEBHOOK_PATH}`,
      )
    },
  },
]

function problemWith(endpoints: readonly WebhookEndpoint[], url: string): string | undefined {
  const ours = endpoints.filter(endpoint => endpoint.url === url)
  if (ours.length === 0) return `Stripe has no webhook endpoint ${url}: add one there, or no payment counts`
  const enabled = ours.filter(({ status }) => status === 'enabled')
  if (enabled.length === 0) return `the webhook endpoint ${url} is disabled: enable it at Stripe, or no payment counts`
  const sent = new Set(enabled.flatMap(endpoint => endpoint.enabled_events))
  const missing = sent.has('*') ? [] : HANDLED_EVENTS.filter(type => !sent.has(type))
  if (missing.length === 0) return undefined
  return `the webhook endpoint ${url} does not send ${missing.join(', ')}: select them at Stripe, or the boards become wrong`
}

/** Most programs renew a certificate of 90 days when it has 30 left, so renewal has failed for some time by then. */
const SOON_MS = daysMs(14)

interface FoundCertificate {
  certificate: Pick<PeerCertificate, 'valid_from' | 'valid_to'>
  /** Why clients refuse it. */
  problem?: string | undefined
}

/** Returns the certificate of a server. @throws Error if there is no TLS connection */
export async function readCertificate({ hostname, port }: URL): Promise<FoundCertificate> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) === 0 ? { servername: host } : {}
  // The check must also see a certificate that clients refuse. Nothing is sent.
  const socket = connect({ host, port: Number(port || 443), ...servername, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const problem = socket.authorizationError as Error | string | null
    return { certificate: socket.getPeerCertificate(), problem: problem ? String(problem) : undefined }
  } finally {
    socket.on('error', () => {}).destroy()
  }
}

/** Judges a certificate. @param of whose it is, such as "the site" */
export function judgeCertificate(of: string, { certificate, problem }: FoundCertificate) {
  const [from, to] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)]
  const left = to - Date.now()
  if (left <= 0)
    return failed(`the certificate of ${of} ended on ${utcDay(to)}: renew it, and find out why nothing did`)
  if (problem !== undefined) {
    const what = `clients refuse the certificate of ${of} (${problem}): install one for this name, with its chain`
    return failed(what + trustAdvice(problem))
  }
  // Some certificates are valid for a few days only.
  return left < Math.min(SOON_MS, (to - from) / 3)
    ? warning(`the certificate of ${of} ends on ${utcDay(to)}: find out why it was not renewed`)
    : ok(`the certificate of ${of} is valid until ${utcDay(to)}`)
}
