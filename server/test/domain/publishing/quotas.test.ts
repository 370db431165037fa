import { describe, expect, it } from 'vitest'
import { ENGINES } from '../../support/engines.ts'
import { NOON, newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

const HALF_DAY_SECONDS = 12 * 60 * 60

describe.each(ENGINES)('daily quotas on %s', engine => {
  it('count new attempts per address, say when to come back, and reset at midnight', async () => {
    const service = await startTestService({ engine, env: { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '2' } })
    try {
      const first = newCredentials()
      expect((await publish(service, first, publishBody('http://one.com'))).status).toBe(201)
      expect((await publish(service, newCredentials(), publishBody('http://two.com'))).status).toBe(201)
      const third = newCredentials()
      const refused = await publish(service, third, publishBody('http://three.com'))
      expect([refused.status, refused.body.code]).toEqual([429, 'quota_ip'])
      expect(refused.headers.get('retry-after')).toBe(String(HALF_DAY_SECONDS))
      // Neither a replay nor a taken destination uses an attempt, so both still answer.
      expect((await publish(service, first, publishBody('http://one.com'))).status).toBe(200)
      expect((await publish(service, newCredentials(), publishBody('http://one.com'))).body.code).toBe(
        'destination_already_listed',
      )
      service.clock.now = NOON + HALF_DAY_SECONDS * 1000
      expect((await publish(service, third, publishBody('http://three.com'))).status).toBe(201)
    } finally {
      await service.stop()
    }
  })

  it('count per host, with and without www, and survive a restart', async () => {
    const env = { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '3' }
    const service = await startTestService({ engine, env })
    expect((await publish(service, newCredentials(), publishBody('http://host.com/a'))).status).toBe(201)
    expect((await publish(service, newCredentials(), publishBody('http://www.host.com/b'))).status).toBe(201)
    const again = await startTestService({ engine, env, database: service.database, sites: service.sites })
    const refused = await publish(again, newCredentials(), publishBody('http://host.com/c'))
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_host'])
    expect((await publish(again, newCredentials(), publishBody('http://other-host.com'))).status).toBe(201)
    await again.stop()
    await service.stop()
  })

  it('keep the last place of a website for a network that has not tried it that day', async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '4' }
    const service = await startTestService({ engine, env })
    service.sites.set('rival.com', (request, response) =>
      request.url?.startsWith('/404') ? response.writeHead(404).end() : goodPage(request, response),
    )
    const tryFrom = async (address: string, path: string) => {
      const body = publishBody(`http://rival.com${path}`)
      const { status, body: answer } = await publish(service, newCredentials(), body, {
        'x-forwarded-for': address,
      })
      return answer.code ?? status
    }
    for (const n of [1, 2, 3]) {
      expect(await tryFrom(`2001:db8:0:${n}00::1`, `/404-${n}`)).toBe('review_rejected')
    }
    expect(await tryFrom('2001:db8:0:400::1', '/404-4')).toBe('quota_host')
    expect(await tryFrom('198.51.100.1', '/')).toBe(201)
    expect(await tryFrom('203.0.113.1', '/more')).toBe('quota_host')
    await service.stop()
  })

  it('give one network at most a quarter of all, and at least as much as one address', async () => {
    const env = {
      TRUSTED_PROXIES: '127.0.0.1/32',
      LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '2',
      LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '12',
    }
    const service = await startTestService({ engine, env })
    let sites = 0
    const tryFrom = async (address: string) => {
      const body = publishBody(`http://site-${++sites}.com/`)
      const answer = await publish(service, newCredentials(), body, { 'x-forwarded-for': address })
      if (answer.body.code) refusal = answer.body.error
      return answer.body.code ?? answer.status
    }
    let refusal = ''
    expect(await tryFrom('2001:db8:0:100::1')).toBe(201)
    expect(await tryFrom('2001:db8:0:101::1')).toBe(201)
    expect(await tryFrom('2001:db8:0:1ff::1')).toBe(201)
    expect(await tryFrom('2001:db8:0:102::1')).toBe('quota_ip')
    expect(await tryFrom('2001:db8:0:900::1')).toBe('quota_ip')
    expect(refusal).toMatch(
      /: 2 of 2 for this address, 0 of 3 for its network, \d+ of \d+ for this website, 9 of 12 in all\./,
    )
    for (const n of [1, 2, 3]) expect(await tryFrom(`198.51.100.${n}`)).toBe(201)
    expect(await tryFrom('::ffff:198.51.100.4')).toBe('quota_ip')
    expect(await tryFrom('2001:db8:1::1')).toBe(201)
    expect(await tryFrom('198.51.101.1')).toBe(201)
    const store = await service.database.openStore()
    const stored = JSON.stringify(await store.db.selectFrom('attempt').selectAll().execute())
    expect(stored).not.toMatch(/2001:db8|198\.51/)
    service.clock.now = NOON + HALF_DAY_SECONDS * 1000
    expect(await tryFrom('2001:db8:0:102::1')).toBe(201)
    await service.stop()

    const few = await startTestService({ engine, env: { ...env, LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '4' } })
    for (const host of ['one', 'two']) {
      expect((await publish(few, newCredentials(), publishBody(`http://${host}.com/`))).status).toBe(201)
    }
    await few.stop()
  })

  it('count refused pages, since reading them was the work', async () => {
    const service = await startTestService({ engine, env: { LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '1' } })
    service.sites.set('bad.com', (_request, response) => response.writeHead(404).end())
    const credentials = newCredentials()
    expect((await publish(service, credentials, publishBody('http://bad.com'))).status).toBe(422)
    const refused = await publish(service, newCredentials(), publishBody('http://good.com'))
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_global'])
    expect((await publish(service, credentials, publishBody('http://bad.com'))).status).toBe(422)
    await service.stop()
  })
})

describe('the request rate', () => {
  it('counts every publish request of an address, bad ones too, whatever its User-Agent', async () => {
    const service = await startTestService({ env: { LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '3' } })
    try {
      const credentials = newCredentials()
      expect((await publish(service, credentials, publishBody('http://rate.com'))).status).toBe(201)
      expect((await publish(service, credentials, '{')).status).toBe(400)
      expect((await publish(service, credentials, 'x', { 'content-type': 'text/plain' })).status).toBe(415)
      const refused = await publish(service, credentials, publishBody('http://rate.com'), {
        'user-agent': 'another',
      })
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(600)
    } finally {
      await service.stop()
    }
  })

  it('believes X-Forwarded-For only from trusted proxies, walked from the right, IPv6 by /64', async () => {
    const one = { LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1' }
    const statusFrom = async (service: { url: string }, forwarded: string) =>
      (await publish(service, newCredentials(), '{', { 'x-forwarded-for': forwarded })).status

    const alone = await startTestService({ env: one })
    expect(await statusFrom(alone, '198.51.100.1')).toBe(400)
    expect(await statusFrom(alone, '198.51.100.2')).toBe(429)
    await alone.stop()

    const proxied = await startTestService({ env: { ...one, TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' } })
    expect(await statusFrom(proxied, '198.51.100.1')).toBe(400)
    expect(await statusFrom(proxied, '198.51.100.2')).toBe(400)
    // The client's own entry is to the left of the proxy's.
    expect(await statusFrom(proxied, '192.0.2.9, 198.51.100.1')).toBe(429)
    expect(await statusFrom(proxied, '198.51.100.3, 10.0.0.7')).toBe(400)
    expect(await statusFrom(proxied, '198.51.100.3')).toBe(429)
    expect(await statusFrom(proxied, '2001:db8:1:2::1')).toBe(400)
    expect(await statusFrom(proxied, '2001:db8:1:2:ffff::9')).toBe(429)
    expect(await statusFrom(proxied, '2001:db8:1:3::1')).toBe(400)
    // Some proxies add the port.
    expect(await statusFrom(proxied, '198.51.100.1:5678')).toBe(429)
    expect(await statusFrom(proxied, '198.51.100.4:5678')).toBe(400)
    expect(await statusFrom(proxied, '198.51.100.4:5679, 10.0.0.7:443')).toBe(429)
    expect(await statusFrom(proxied, '[2001:db8:1:2::1]:5678')).toBe(429)
    expect(await statusFrom(proxied, '[2001:db8:1:3::2]')).toBe(429)
    expect(await statusFrom(proxied, '[2001:db8:1:4::1]:443')).toBe(400)
    await proxied.stop()
  })
})
