import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  check,
  newCredentials,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    env: {
      LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '4',
      LIMIT_CHECKS_PER_DAY_PER_IP: '2',
      LIMIT_CHECKS_PER_DAY_PER_HOST: '1',
      LIMIT_QUOTES_PER_MINUTE_PER_IP: '2',
    },
  })
})
afterAll(() => service.stop())

const ITEM = /^"(\w+)"((?:;[a-z]+=\d+)+)$/

/** A list of strings with whole numbers as parameters (RFC 9651): all that these two fields hold. */
function itemsOf(headers: Headers, name: string): Record<string, Record<string, number>> {
  const items = (headers.get(name) ?? expect.fail(`no ${name}`)).split(', ')
  return Object.fromEntries(
    items.map(item => {
      const [, key = '', parameters = ''] = ITEM.exec(item) ?? expect.fail(`${name}: ${item}`)
      const pairs = parameters
        .slice(1)
        .split(';')
        .map(each => each.split('='))
      return [key, Object.fromEntries(pairs.map(([parameter, value]) => [parameter, Number(value)]))]
    }),
  )
}

/** The policies, and what is left of each. Each policy has a service limit, and the other way round. */
function limitsOf({ headers }: { headers: Headers }) {
  const policies = itemsOf(headers, 'ratelimit-policy')
  const limits = itemsOf(headers, 'ratelimit')
  expect(Object.keys(limits)).toEqual(Object.keys(policies))
  for (const [name, { t = -1 }] of Object.entries(limits)) {
    expect(t).toBeGreaterThan(0)
    expect(t).toBeLessThanOrEqual(policies[name]?.w ?? 0)
  }
  return { policies, left: Object.fromEntries(Object.entries(limits).map(([name, { r }]) => [name, r])) }
}

describe('RateLimit and RateLimit-Policy', () => {
  it('say on a publish, a refused one too, what is left of its rate', async () => {
    const name = 'requestsPerTenMinutesPerIp'
    const first = limitsOf(await publish(service, newCredentials(), publishBody('http://limits.com/')))
    expect(first).toEqual({ policies: { [name]: { q: 4, w: 600 } }, left: { [name]: 3 } })
    for (const left of [2, 1, 0, 0]) {
      const { left: now } = limitsOf(await publish(service, newCredentials(), '{'))
      expect(now).toEqual({ [name]: left })
    }
    const refused = await publish(service, newCredentials(), '{')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe(String(itemsOf(refused.headers, 'ratelimit')[name]?.t))
  })

  it('say on a quote what is left of its minute', async () => {
    const ask = { destination: 'https://a.com/', category: 'Games', board: 'all', targetBid: 5 }
    const name = 'quotesPerMinutePerIp'
    expect(limitsOf(await quote(service, ask))).toEqual({
      policies: { [name]: { q: 2, w: 60 } },
      left: { [name]: 1 },
    })
    expect(limitsOf(await quote(service, '{')).left).toEqual({ [name]: 0 })
    expect(limitsOf(await quote(service, ask)).left).toEqual({ [name]: 0 })
  })

  it('say on a check what is left of its rate, and of the day', async () => {
    const ask = (host: string) => check(service, { destination: `http://${host}/`, category: 'Games' })
    const first = limitsOf(await ask('one.com'))
    expect(first.policies).toEqual({
      checkRequestsPerTenMinutesPerIp: { q: 4, w: 600 },
      checksPerDayPerIp: { q: 2, w: 86_400 },
      checksPerDayPerHost: { q: 1, w: 86_400 },
    })
    const lefts = [first.left]
    for (const host of ['one.com', 'two.com', 'three.com']) {
      const reply = await ask(host)
      lefts.push({ ...limitsOf(reply).left, status: reply.status })
    }
    expect(lefts.map(each => Object.values(each))).toEqual([
      [3, 1, 0],
      [2, 1, 0, 429],
      [1, 0, 0, 200],
      [0, 0, 1, 429],
    ])
  })

  it('are on no other reply', async () => {
    const { headers } = await fetch(`${service.url}/api/v1/agent/capabilities`)
    expect([headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([false, false])
  })
})
