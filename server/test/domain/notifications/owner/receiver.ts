import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { makeAuthority } from '../../../support/certificates.ts'

interface Delivery {
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/**
 * A server of an owner, over https, at any of some host names. The fetcher of this process trusts its certificate until
 * it closes.
 */
export async function startReceiver(hosts: readonly string[]) {
  const authority = await makeAuthority()
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, authority.cert])
  const certificates = new Map<string, tls.SecureContext>()
  for (const host of hosts) certificates.set(host, tls.createSecureContext(await authority.issue(host)))

  const deliveries: Delivery[] = []
  const receiver = {
    deliveries,
    /** How it answers: 204, unless set. */
    answer: (response: ServerResponse) => void response.writeHead(204).end(),
    /** Directs the hosts to it, as FETCH_CONNECT_TO has it. */
    connectTo: '',
    /** The bodies so far, of which each passed the check of the Standard Webhooks library. */
    verified: (secret: string) => deliveries.map(delivery => verified(delivery, secret)),
    close() {
      tls.setDefaultCACertificates(trusted)
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
  const server = createServer(
    { SNICallback: (name, use) => use(null, certificates.get(name)) },
    (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        const { url = '', headers } = request
        deliveries.push({ url, headers, body })
        receiver.answer(response)
      })
    },
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  receiver.connectTo = hosts.map(host => `${host}:443:127.0.0.1:${port}`).join()
  return receiver
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** @throws WebhookVerificationError unless the signature is right at the time the delivery says */
function verified({ headers, body }: Delivery, secret: string): { type: string; data: Record<string, unknown> } {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 })
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as ReturnType<typeof verified>
  } finally {
    vi.useRealTimers()
  }
}
