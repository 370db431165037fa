import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { daysMs, SECOND_MS, utcDay } from '../../platform/lib/time.ts'
import { failed, ok, warning } from './finding.ts'

const TIMEOUT_MS = 10 * SECOND_MS
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
    return failed(`clients refuse the certificate of ${of} (${problem}): install one for this name, with its chain`)
  }
  // Some certificates are valid for a few days only.
  return left < Math.min(SOON_MS, (to - from) / 3)
    ? warning(`the certificate of ${of} ends on ${utcDay(to)}: find out why it was not renewed`)
    : ok(`the certificate of ${of} is valid until ${utcDay(to)}`)
}
