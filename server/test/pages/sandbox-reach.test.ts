import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** As from this machine, where a proxy may stand, too. */
async function statusOf(headers: Record<string, string>): Promise<number | undefined> {
  const asked = request(`${service.url}/sandbox/`, { headers }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test.each([
  ['by its address', {}, 200],
  ['as localhost', { host: 'localhost:8080' }, 200],
  ['by a public name, through a proxy or a rebound name', { host: 'placard.com' }, 404],
  ['through a proxy that says for whom', { 'x-forwarded-for': '8.8.8.8' }, 404],
])(
  'the sandbox, called %s, is for this machine alone',
  async (_how, headers: Record<string, string>, status) => {
    expect(await statusOf(headers)).toBe(status)
  },
)
