/** What each program prints: statuses and bodies of a check, a publish, its repeat, and a publish by somebody else. */
export interface Printed {
  wouldPublish: boolean | undefined
  statuses: number[]
  productUrls: (string | null)[]
  code: string | undefined
}

const START = `
const [base = '', host = '', key = '', secret = '', otherKey = ''] = process.argv.slice(2)
declare const process: { argv: string[] }
const destination = 'http://' + host + '/'
const body = {
  destination,
  category: 'Games',
  approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: '2026-09-06' },
} as const
const sent = (key: string) => ({ 'Idempotency-Key': key, 'X-Submission-Secret': secret })
`

/** A program per generator, which publishes with what was generated. It has to compile under strict rules, and to run. */
export const PROGRAMS: Record<string, string> = {
  'openapi-typescript': `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript'
${START}
const client = createClient<paths>({ baseUrl: base })
const publish = (key: string) =>
  client.POST('/api/v1/agent/listings', { params: { header: sent(key) }, body })
const checked = await client.POST('/api/v1/agent/check', { body: { destination, category: 'Games' } })
const replies = [await publish(key), await publish(key), await publish(otherKey)]
const code: components['schemas']['ErrorCode'] | undefined = replies[2]?.error?.code
const receipts: (components['schemas']['Receipt'] | undefined)[] = replies.map(({ data }) => data)
console.log(JSON.stringify({
  wouldPublish: checked.data?.wouldPublish,
  statuses: replies.map(({ response }) => response.status),
  productUrls: receipts.map(receipt => receipt?.productUrl),
  code,
}))`,
  '@hey-api/openapi-ts': `
import { checkServiceFreeListing, type ErrorBody, publishServiceFreeListing, type Receipt } from './hey-api'
import { client } from './hey-api/client.gen'
${START}
client.setConfig({ baseUrl: base })
const publish = (key: string) => publishServiceFreeListing({ headers: sent(key), body })
const checked = await checkServiceFreeListing({ body: { destination, category: 'Games' } })
const replies = [await publish(key), await publish(key), await publish(otherKey)]
const error: ErrorBody | undefined = replies[2]?.error
const receipts: (Receipt | undefined)[] = replies.map(({ data }) => data)
console.log(JSON.stringify({
  wouldPublish: checked.data?.wouldPublish,
  statuses: replies.map(({ response }) => response?.status),
  productUrls: receipts.map(receipt => receipt?.productUrl),
  code: error?.code,
}))`,
  orval: `
import { checkServiceFreeListing, publishServiceFreeListing } from './orval'
${START}
const fetchAny = globalThis.fetch
// Its functions call relative addresses, unless its configuration names a service.
globalThis.fetch = (path, init) => fetchAny(new URL(String(path), base), init)
const publish = (key: string) => publishServiceFreeListing(body, { headers: sent(key) })
const checked = await checkServiceFreeListing({ destination, category: 'Games' })
const replies = [await publish(key), await publish(key), await publish(otherKey)]
const productUrls = replies.map(reply =>
  reply.status === 200 || reply.status === 201 ? reply.data.productUrl : undefined)
const last = replies[2]
console.log(JSON.stringify({
  wouldPublish: checked.status === 200 ? checked.data.wouldPublish : undefined,
  statuses: replies.map(({ status }) => status),
  productUrls,
  code: last?.status === 409 ? last.data.code : undefined,
}))`,
}
