import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { Certificate } from '../page.ts'
import { reject } from '../verdict.ts'
import { FetchEnded, TimedOut } from './limits.ts'

/** Where to connect. The addresses are literals that were already checked: no name is resolved after that. */
export interface Target {
  addresses: readonly string[]
  port: number
  /** The name the certificate must be valid for; undefined means no TLS. */
  serverName: string | undefined
}

/** OpenSSL's code for a server without a certificate for the requested name. */
const NO_CERTIFICATE_FOR_NAME = 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'

/** What the customer can tell the website's owner, by OpenSSL's code or Node's. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  [NO_CERTIFICATE_FOR_NAME]: 'The website’s server has no certificate for this name.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The website’s certificate is for another name.',
  CERT_HAS_EXPIRED: 'The website’s certificate has expired.',
  CERT_NOT_YET_VALID: 'The website’s certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The website’s certificate is signed by itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The website’s certificate is from an issuer that is not trusted.',
  // Browsers fetch or remember the missing certificates, so the owner may not notice.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The website’s server sends a certificate without those of the issuers. Let it send the whole chain.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The website’s certificate is from an issuer that is not trusted, or its server does not send the whole chain.',
}

/**
 * Connects to the first address that accepts, IPv4 first, and starts TLS. The socket always keeps an error listener,
 * because a reset can arrive at any time.
 * @throws FetchEnded `tls_invalid`; Error for everything temporary
 */
export async function connect(target: Target, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const deadline = performance.now() + timeoutMs
  const socket = await connectToFirst(target, timeoutMs, deadline, signal)
  return target.serverName === undefined ? socket : await secure(socket, target.serverName, deadline, signal)
}

async function connectToFirst(target: Target, timeoutMs: number, deadline: number, signal: AbortSignal) {
  const isV6 = (address: string) => Number(address.includes(':'))
  const failures: unknown[] = []
  for (const host of target.addresses.toSorted((a, b) => isV6(a) - isV6(b))) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    // An address that does not answer must leave time for the next one.
    const attemptMs = Math.min(leftMs, Math.max(timeoutMs / 3, leftMs / (target.addresses.length - failures.length)))
    try {
      return await connectToPinned(host, target.port, attemptMs, signal)
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures[0] ?? new TimedOut('no time left to connect', 'accepted no connection', timeoutMs)
}

async function connectToPinned(host: string, port: number, timeoutMs: number, signal: AbortSignal) {
  if (isIP(host) === 0) throw new Error(`${host} is not an IP address: it would be resolved again, unchecked`)
  const socket = connectTcp({ host, port, autoSelectFamily: false })
  await ready(socket, 'connect', timeoutMs, signal)
  if (plain(socket.remoteAddress) !== plain(host)) {
    socket.destroy()
    throw new Error(`connected to ${socket.remoteAddress} instead of the vetted ${host}`)
  }
  return socket
}

/** The canonical spelling of an address, or undefined. */
const plain = (address = '') => (ipaddr.isValid(address) ? ipaddr.parse(address).toNormalizedString() : undefined)

async function secure(tcp: Socket, serverName: string, deadline: number, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connectTls({
    socket: tcp,
    servername: serverName,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  })
  socket.once('close', () => tcp.destroy())
  try {
    await ready(socket, 'secureConnect', Math.max(0, deadline - performance.now()), signal)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const isBadCertificate = socket.authorizationError || code === NO_CERTIFICATE_FOR_NAME
    throw isBadCertificate ? new FetchEnded(reject('tls_invalid', CERTIFICATE_FAULTS[code])) : error
  }
  return socket
}

const WHAT_IS_MISSING = { connect: 'accepted no connection', secureConnect: 'did not complete the TLS handshake' }

function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, rejectWith) => {
    const abort = () => {
      const isLate = signal.reason instanceof TimedOut
      socket.destroy(isLate ? signal.reason : new Error('aborted while connecting'))
    }
    const end = () => socket.destroy(new TimedOut(`no ${event} in time`, WHAT_IS_MISSING[event], timeoutMs))
    const timer = setTimeout(end, timeoutMs)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    socket.once(event, () => {
      settle()
      resolve()
    })
    socket.on('error', rejectWith)
    socket.once('close', () => {
      settle()
      rejectWith(new Error('closed while connecting'))
    })
  })
}

const NAMES_MAX = 20

/** Returns the verified certificate of an open socket, or null without TLS. */
export function certificateOf(socket: Socket): Certificate | null {
  if (!(socket instanceof TLSSocket)) return null
  const { issuer, subjectaltname = '' } = socket.getPeerCertificate()
  const names = subjectaltname.split(', ').flatMap(name => (name.startsWith('DNS:') ? name.slice(4) : []))
  return { issuer: [issuer?.O ?? issuer?.CN ?? ''].flat().join(', '), names: names.slice(0, NAMES_MAX) }
}
