import { expect, it } from 'vitest'
import { Links } from '../../../src/platform/http/links.ts'

it.each([
  ['127.0.0.1', 8080, 'http://127.0.0.1:8080'],
  ['127.0.0.1', 80, 'http://127.0.0.1'],
  ['::', 80, 'http://[::1]'],
  ['LOCALHOST', 8080, 'http://localhost:8080'],
  ['0:0:0:0:0:0:0:1', 8080, 'http://[::1]:8080'],
])('without BASE_URL, the base of a service on %s port %i is the origin that browsers send', (host, port, base) => {
  const links = new Links({ baseUrl: undefined, supportUrl: undefined })
  links.listeningOn(host, port)
  expect(links.base).toBe(base)
})

it('an address with a zone needs BASE_URL, because no link can contain it', () => {
  const links = (baseUrl?: string) => new Links({ baseUrl, supportUrl: undefined })
  expect(() => links().listeningOn('fe80::1%eth0', 80)).toThrow(
    'BASE_URL must be set: no link can contain HOST fe80::1%eth0',
  )
  expect(() => links('https://a.com').listeningOn('fe80::1%eth0', 80)).not.toThrow()
})
