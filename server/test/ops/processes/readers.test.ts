// @module-tag programs
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { isAlive, processesOf, type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishBody } from '../../support/service.ts'
import { goodPage, type Sites, sendHtml, startSites } from '../../support/sites.ts'

let database: EmptyDatabase
let sites: Sites
let service: ServiceProcess
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
  sites = await startSites()
  service = await startProcess({ ...database.env, FETCH_CONNECT_TO: sites.connectTo })
})
afterEach(async () => {
  await service.end('SIGKILL')
  await sites.close()
  await database.remove()
})

const send = (host: string, credentials = newCredentials()) =>
  publish(service, credentials, publishBody(`http://${host}`))

/** Retries "cannot tell", as an agent would: on a busy machine, a new reader may start slowly. */
async function persist(host: string, credentials = newCredentials()) {
  for (;;) {
    const reply = await send(host, credentials)
    if (reply.status !== 503) return reply
  }
}

const readersOf = (parent: number | undefined) => processesOf(parent, 'parse-pages')

const signal = (name: NodeJS.Signals) => {
  for (const pid of readersOf(service.child.pid)) process.kill(pid, name)
}

it('a page that blocks its reader costs only its own request, and its attempt stays valid', async () => {
  expect((await persist('first.com')).status).toBe(201)
  const held = readersOf(service.child.pid)
  expect(held).toHaveLength(1)
  signal('SIGSTOP')
  const credentials = newCredentials()
  const unsure = await send('held.com', credentials)
  expect([unsure.status, unsure.body.code, unsure.headers.get('retry-after')]).toEqual([
    503,
    'review_unavailable',
    '30',
  ])
  // A line of the log can arrive after the answer.
  await expect.poll(() => service.output()).toMatch(/its reader did not answer within \d+ ms/)
  await expect.poll(() => readersOf(service.child.pid)).toEqual([])
  expect((await persist('held.com', credentials)).status).toBe(201)
  expect(await service.end('SIGTERM')).toBe(0)
})

it('a stop signal that also reaches the readers finishes requests in progress, and ends the readers', async () => {
  let finish = () => {}
  sites.set('slow.com', (request, response) => {
    finish = () => goodPage(request, response)
  })
  expect((await persist('first.com')).status).toBe(201)
  const readers = readersOf(service.child.pid)
  const answer = send('slow.com')
  await expect.poll(() => sites.visits('slow.com')).toBe(1)
  signal('SIGTERM')
  signal('SIGINT')
  const ended = service.end('SIGTERM')
  await expect.poll(() => service.output()).toContain('stopping')
  finish()
  expect((await answer).status).toBe(201)
  expect(await ended).toBe(0)
  expect(readersOf(service.child.pid)).toEqual([])
  expect(readers.filter(isAlive)).toEqual([])
})

it('a signal to the whole group, as Ctrl+C is, reaches no process of the service, nor ends one that gets it', async () => {
  for (const host of ['first.com', 'other.com']) expect((await persist(host)).status).toBe(201)
  const draw = async (slug: string) => {
    expect((await fetch(`${service.url}/picture/${slug}/share.png`)).status).toBe(200)
    return processesOf(service.child.pid, 'make-pictures')
  }
  const [maker, ...others] = await draw('first-com')
  // A signal to the process 0 would reach this one.
  if (!maker) throw new Error('no process draws')
  expect(others).toEqual([])
  const processes = [...readersOf(service.child.pid), maker]
  expect(processes).toHaveLength(2)
  const groups = execFileSync('ps', ['-o', 'pgid=', '-p', processes.join()], { encoding: 'utf8' })
  expect(groups.trim().split(/\s+/).map(Number).sort()).toEqual(processes.sort())
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.kill(maker, name)
  expect(await draw('other-com')).toEqual([maker])
  expect(await service.end('SIGINT')).toBe(0)
  await expect.poll(() => isAlive(maker)).toBe(false)
})

it('a stop does not wait for a reader that hangs', async () => {
  expect((await persist('first.com')).status).toBe(201)
  signal('SIGSTOP')
  const answer = send('held.com')
  await expect.poll(() => sites.visits('held.com')).toBe(1)
  const ended = service.end('SIGTERM')
  expect((await answer).status).toBe(503)
  expect(await ended).toBe(0)
})

it('readers end with a service that is killed', async () => {
  expect((await persist('first.com')).status).toBe(201)
  const readers = readersOf(service.child.pid)
  expect(readers).toHaveLength(1)
  await service.end('SIGKILL')
  await expect.poll(() => readers.filter(isAlive)).toEqual([])
})

it('hostile pages are read quickly, and delay no other request', async () => {
  const page = `<!doctype html><title>Hostile</title>${`<script type="text/javascript;`}${' '.repeat(1_000_000)}\nx">`
  for (const n of [1, 2, 3, 4]) sites.set(`hostile${n}.com`, (_request, response) => sendHtml(response, page))
  const answers = Promise.all([1, 2, 3, 4].map(n => persist(`hostile${n}.com`)))
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  expect((await answers).map(({ status }) => status)).toEqual([201, 201, 201, 201])
})
