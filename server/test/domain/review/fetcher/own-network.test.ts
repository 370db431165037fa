// @module-tag slow
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { FetchEnded } from '../../../../src/domain/review/fetcher/limits.ts'
import { OwnNetwork } from '../../../../src/domain/review/fetcher/own-network.ts'
import { DAY_MS } from '../../../../src/platform/lib/time.ts'
import { SAME_SQL } from '../../../support/engines.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../../support/service.ts'
import { sendHtml, startSites } from '../../../support/sites.ts'
import { respond, startWebServer } from '../../../support/web-server.ts'
import { newVisitor } from '../../../web/visitor.ts'
import { followListing, readFeed } from '../../notifications/owner/follower.ts'
import { guardedFetcherFor } from './fetching.ts'

it('suspects the own network after five websites in a row, and until one is reached', async () => {
  const server = await startWebServer(socket => respond(socket, { status: 204 }))
  const unused = createServer().listen(0, '127.0.0.1')
  await once(unused, 'listening')
  const { port } = unused.address() as AddressInfo
  unused.close()
  await once(unused, 'close')
  const warnings: string[] = []
  const network = new OwnNetwork(message => void warnings.push(message))
  const to = (host: string, toPort: number) => ({ host, port: 0, toHost: '127.0.0.1', toPort })
  const connectTo = [to('up.com', server.port), to('', port)]
  const fetcher = guardedFetcherFor(undefined, { connectTo, network })
  /** @returns the status, or why there is none */
  const visit = async (host: string, networks?: string[]) => {
    const destination = parseDestination(`http://${host}/`)
    const message = { headers: {}, body: '' }
    const act = async (_get: unknown, post: (to: typeof destination, it: typeof message) => Promise<unknown>) => ({
      posted: await post(destination, message),
    })
    const visited = await fetcher.visit(destination, act, { networks })
    const result = visited instanceof FetchEnded ? visited : visited.posted
    return result instanceof FetchEnded && result.verdict.verdict === 'cannot_tell' ? result.verdict.fault : result
  }
  const inTurn = async (...hosts: string[]) => {
    const results: unknown[] = []
    for (const host of hosts) results.push(await visit(host))
    return results
  }
  const REFUSED = 'site_unreachable'

  // Hosts of one website count once.
  expect(await inTurn('a.com', 'b.com', 'c.com', 'd.com', 'd.com', 'www.d.com')).toEqual(Array(6).fill(REFUSED))
  expect(await inTurn('up.com', 'e.com', 'f.com')).toEqual([204, REFUSED, REFUSED])
  expect(warnings).toEqual([])
  expect(await inTurn('g.com', 'h.com', 'i.com', 'e.com')).toEqual([REFUSED, REFUSED, 'busy', 'busy'])
  expect(warnings).toHaveLength(1)
  // The reply to a client names what its website did.
  expect(await visit('e.com', ['192.0.2.0/24'])).toBe(REFUSED)
  expect(await inTurn('up.com', 'e.com')).toEqual([204, REFUSED])
  await server.close()
})

it.each(SAME_SQL)('no owner is notified of an outage of the own network, or loses a proof, on %s', async engine => {
  const sites = await startSites()
  const sitesPort = Number(sites.connectTo.split(':').at(-1))
  const gateway = createServer(socket => {
    const onward = connect(sitesPort, '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => {})
    socket.pipe(onward).pipe(socket)
  })
  const open = async (port: number) => {
    gateway.listen(port, '127.0.0.1')
    await once(gateway, 'listening')
    return (gateway.address() as AddressInfo).port
  }
  const port = await open(0)
  const env = { FETCH_CONNECT_TO: `:80:127.0.0.1:${port}`, TRUSTED_PROXIES: '127.0.0.1' }
  const service = await startTestService({ engine, sites, env, jobsEveryMs: 100 })
  const store = await service.database.openStore()
  const hosts = [1, 2, 3, 4, 5, 6, 7].map(number => `followed-${number}.com`)
  const feeds: string[] = []
  for (const host of hosts) feeds.push((await followListing(service, host)).feed)
  const address = 'http://proven.com/'
  await publish(service, newCredentials(), publishBody(address))
  const visitor = newVisitor(service)
  const [token = ''] = /plc_\w{40}/.exec((await visitor.get(`/own?${new URLSearchParams({ address })}`)).html) ?? []
  const head = `<title>Shop</title><meta name="placard-challenge" content="${token}">`
  sites.set('proven.com', (_request, response) => sendHtml(response, head))
  await visitor.post('/own/check', { address })
  const proof = () => store.db.selectFrom('site_owner').select(['checkAt', 'missingSince']).executeTakeFirst()
  const watches = () => store.db.selectFrom('watch').select(['checkAt', 'failingSince', 'goneTold']).execute()
  const pass = async (days: number) => {
    for (let day = 0; day < days; day++) {
      service.clock.now += DAY_MS
      const checkAt = service.clock.now + DAY_MS
      await expect.poll(watches).toEqual(hosts.map(() => expect.objectContaining({ checkAt })))
      await expect.poll(proof).toMatchObject({ checkAt })
    }
  }

  gateway.close()
  // The first websites are still believed to be at fault, for a day.
  await pass(1)
  await pass(9)
  expect(await proof()).toMatchObject({ missingSince: null })
  await open(port)
  await pass(1)
  const well = { checkAt: service.clock.now + DAY_MS, failingSince: null, goneTold: 0 }
  await expect.poll(watches).toEqual(hosts.map(() => well))
  for (const feed of feeds) expect((await readFeed(feed)).titles).toEqual([])
  await service.stop()
  gateway.close()
  await sites.close()
})
