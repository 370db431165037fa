import { randomBytes, randomUUID } from 'node:crypto'
import { CONTRACT_VERSION, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'

/** Limits that no load reaches. */
export const WIDE_ENV = {
  PORT: '0',
  LOG_LEVEL: 'info',
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '1000000000',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '1000000000',
}

/** A request: for `fetch`, and for `asText`. */
export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export const post = (path: string, body: object, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

export const QUOTE = { destination: 'https://pie.com', category: 'Games', board: 'all', targetBid: 25 } as const

export const quote = (body: object = QUOTE) => post(QUOTE_PATH, body)

/** A publish by a new agent. */
export function publish(destination: string): Sent {
  const approval = { scope: 'free_listing_publish', userApproved: true, rulesVersion: CONTRACT_VERSION }
  const secrets = { 'idempotency-key': randomUUID(), 'x-submission-secret': randomBytes(32).toString('hex') }
  return post(PUBLISH_PATH, { destination, category: 'Games', approval }, secrets)
}

/** A browser's visit, which the service counts. */
export const visit = (path: string) => ({ method: 'GET', path, headers: BROWSER, body: '' })
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
}

/** A request as it goes over the wire. */
export function asText({ method, path, headers, body }: Sent): string {
  const length: [string, string | number][] = body ? [['content-length', Buffer.byteLength(body)]] : []
  const lines = [['host', '127.0.0.1'], ...Object.entries(headers), ...length]
  return [`${method} ${path} HTTP/1.1`, ...lines.map(line => line.join(': ')), '', body].join('\r\n')
}
