import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { goodPage, type Sites, startSites } from '../../support/sites.ts'
import { fetcherFor } from '../review/fetcher/fetching.ts'

/** Fewer than by default, so that few requests would hold them all. */
const CONNECTIONS = 80
/** A busy machine needs longer for all of the requests. */
const PATIENT = { totalMs: 600_000, headersMs: 600_000 }

describe('repeats of a publish that is in progress', () => {
  let sites: Sites
  let service: TestService
  beforeAll(async () => {
    sites = await startSites()
    const { connectTo } = configFrom({ FETCH_CONNECT_TO: sites.connectTo })
    service = await startTestService({
      sites,
      env: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_CONNECTIONS: String(CONNECTIONS) },
      fetchers: { fetchPage: fetcherFor(undefined, { connectTo, limits: PATIENT }) },
    })
  })
  afterAll(async () => {
    await service.stop()
    await sites.close()
  })

  it('wait for it, but at most fifty of one network, so that they leave connections to others', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    sites.set('held.com', (request, response) => void released.then(() => goodPage(request, response)))
    const credentials = newCredentials()
    const send = (address: string) =>
      publish(service, credentials, publishBody('http://held.com'), { 'x-forwarded-for': address })
    const first = send('198.51.100.7')
    await expect.poll(() => sites.visits('held.com')).toBe(1)

    // Each from another /64 of one /48, which is one customer's.
    const statuses: (number | string)[] = []
    const repeats: Promise<unknown>[] = []
    for (let nth = 1; nth <= CONNECTIONS + 10; nth++) {
      const repeat = send(`2001:db8:1:${nth.toString(16)}::1`)
      repeats.push(repeat.then(({ status }) => statuses.push(status)).catch(() => statuses.push('cut off')))
      if (nth > 40) await Promise.race([repeat, new Promise(resolve => setTimeout(resolve, 20))]).catch(() => {})
    }
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    const ofAnother = send('203.0.113.9')
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(CONNECTIONS + 10 - 50)
    release()
    await Promise.all(repeats)
    expect([(await first).status, (await ofAnother).status]).toEqual([201, 200])
    // On a busy machine, the ten seconds of some end before.
    const waited = statuses.filter(status => status === 200)
    expect(waited.length).toBeLessThanOrEqual(50)
    expect(statuses.filter(status => status === 503).length).toBe(CONNECTIONS + 10 - waited.length)
  })
})
