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
