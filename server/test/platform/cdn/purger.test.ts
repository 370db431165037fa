import { afterEach, beforeEach, expect, test } from 'vitest'
import { PURGE_APIS, Purger } from '../../../src/platform/cdn/purger.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { PurgeApi } from '../../../src/platform/config/outside-services.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { startReceiver } from './receiver.ts'

let receiver: Awaited<ReturnType<typeof startReceiver>>
let logged: string[]
let purgers: Purger[]

beforeEach(async () => {
  receiver = await startReceiver()
  logged = []
  purgers = []
})
afterEach(async () => {
  for (const purger of purgers) await purger.close()
  await receiver.close()
})

function startPurger(api: PurgeApi = 'cloudflare'): Purger {
  const log = (facts: object, words: string) => void logged.push(`${words} ${JSON.stringify(facts)}`)
  const token = new Secret(Buffer.from('shibboleth'))
  const purger = new Purger({ api, url: receiver.url, token }, { info: log, warn: log } as never)
  purgers.push(purger)
  return purger
}

const requests = () => receiver.heard.length

test.each([
  ['cloudflare', 'POST', '{"tags":["home","board-all"]}', { authorization: 'Bearer shibboleth' }],
  ['fastly', 'POST', '{"surrogate_keys":["home","board-all"]}', { 'fastly-key': 'shibboleth' }],
  ['varnish', 'PURGE', '', { 'surrogate-key': 'home board-all', authorization: 'Bearer shibboleth' }],
  ['souin', 'PURGE', '', { 'surrogate-key': 'home, board-all', authorization: 'Bearer shibboleth' }],
] as const)('%s is asked in its own form', async (api, method, body, headers) => {
  startPurger(api).add(['home', 'board-all'])
  await expect.poll(requests).toBe(1)
  expect(receiver.heard[0]).toMatchObject({ method, body, headers })
})

test('settings that do not fit stop the start, and no message repeats a secret', () => {
  const messageOf = (env: Env) => {
    try {
      return String(configFrom(env).purge?.url)
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(messageOf({})).toBe('undefined')
  expect(messageOf({ PURGE_URL: 'https://cdn.example/purge' })).toBe('https://cdn.example/purge')
  expect(messageOf({ PURGE_TOKEN: 'open-sesame' })).toBe('PURGE_URL must be set with PURGE_TOKEN')
  expect(messageOf({ PURGE_URL: 'ftp://open-sesame' })).toBe('PURGE_URL must be an http or https address')
  expect(messageOf({ PURGE_URL: 'https://cdn.example/', PURGE_TOKEN: 'open sesame' })).toBe(
    'PURGE_TOKEN must be printable ASCII without spaces',
  )
  expect(messageOf({ PURGE_API: 'akamai' })).toMatch(/^PURGE_API must be one of cloudflare, fastly/)
})

test('every API is covered above', () => {
  expect(Object.keys(PURGE_APIS)).toEqual(['cloudflare', 'fastly', 'varnish', 'souin'])
})

test('what changes in the same second goes in one request, thirty tags in each', async () => {
  const purger = startPurger()
  purger.add(['home'])
  await expect.poll(requests).toBe(1)
  for (let n = 0; n < 35; n++) purger.add([`listing-${n}`, 'home'])
  await expect.poll(requests).toBe(3)
  const told = receiver.heard.map(({ body }) => (JSON.parse(body) as { tags: string[] }).tags)
  expect(told.map(({ length }) => length)).toEqual([1, 30, 6])
  expect(new Set(told.flat()).size).toBe(36)
})

test('where too much changes, one tag drops everything', async () => {
  startPurger().add(Array.from({ length: 301 }, (_, n) => `listing-${n}`))
  await expect.poll(requests).toBe(1)
  expect(receiver.tags()).toEqual(['site'])
})

test('a failed request is repeated with what changed since, and no log holds the token', async () => {
  receiver.status = 429
  const purger = startPurger()
  purger.add(['home'])
  await expect.poll(requests).toBe(1)
  receiver.status = 200
  purger.add(['newest'])
  await expect.poll(requests).toBe(2)
  expect(JSON.parse(receiver.heard[1]?.body ?? '').tags.toSorted()).toEqual(['home', 'newest'])
  await expect.poll(() => logged.length).toBe(2)
  expect(logged[0]).toContain('could not purge the cache')
  expect(logged[1]).toContain('the cache can be purged again')
  expect(logged.join()).not.toContain('shibboleth')
})

test('a stop sends what waits', async () => {
  const purger = startPurger()
  purger.add(['home'])
  await expect.poll(requests).toBe(1)
  purger.add(['newest'])
  await purger.close()
  expect(receiver.tags()).toEqual(['home', 'newest'])
})
