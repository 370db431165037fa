// @module-tag programs
// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/platform/lib/package.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'
import { quote } from '../../support/service.ts'
import { scrape } from './scrape.ts'

let database: EmptyDatabase
beforeAll(async () => {
  database = await migratedDatabase('sqlite')
})
afterAll(() => database.remove())

describe('the metrics of several workers', () => {
  let service: ServiceProcess
  let url: string
  beforeAll(async () => {
    const port = await freePort()
    service = await startProcess({ ...database.env, WORKERS: '2', METRICS_PORT: String(port) })
    url = `http://127.0.0.1:${port}/metrics`
  })
  afterAll(async () => {
    expect(await service.end('SIGTERM')).toBe(0)
  })

  const SERIES = `http_server_request_duration_seconds_count{method="POST",route="${QUOTE_PATH}",status="400"}`
  const counted = async () => (await scrape(url)).get(SERIES) ?? 0
  async function quotes(times: number): Promise<void> {
    for (let sent = 0; sent < times; sent++) await quote(service, {})
  }
  /** The processes that have listened so far. */
  const workers = () => [...service.output().matchAll(/"pid":(\d+),[^\n]*"listening on/g)].map(([, pid]) => Number(pid))
  const deaths = () => service.output().match(/a worker died/g)?.length ?? 0

  it('are added up', async () => {
    const before = await counted()
    await quotes(8)
    const all = await scrape(url)
    expect(all.get(SERIES)).toBe(before + 8)
    // Both see the same work, so it is not added up.
    expect(all.get('placard_jobs_due{kind="pictures"}')).toBe(0)
    expect(all.get('placard_ready')).toBe(1)
    expect(all.get('placard_moderation_pending{kind="report"}')).toBe(0)
    const { commit = '' } = (await (await fetch(`${service.url}/readyz`)).json()) as { commit?: string }
    expect([...all.keys()].filter(name => name.startsWith('placard_build_info'))).toEqual([
      `placard_build_info{version="${VERSION}",commit="${commit}",engine="sqlite"}`,
    ])
  })

  it('count on after a worker was killed: Prometheus would take a smaller sum for a restart', async () => {
    await quotes(8)
    const [before, started, died] = [await counted(), workers().length, deaths()]
    process.kill(workers().at(-1) as number, 'SIGKILL')
    await expect.poll(deaths).toBe(died + 1)
    // Also while the next worker starts, which cannot answer yet.
    while (workers().length === started) expect(await counted()).toBe(before)
    expect(await counted()).toBe(before)
    await quotes(1)
    expect(await counted()).toBe(before + 1)
  })

  it('show that a worker does not answer, and what the others measured', async () => {
    const pid = workers().at(-1) as number
    const read = async () => {
      const all = await scrape(url)
      return ['placard_workers_silent', 'placard_ready', SERIES].map(name => all.get(name))
    }
    await quotes(8)
    const [before, started, died] = [await counted(), workers().length, deaths()]
    expect(await read()).toEqual([0, 1, before])
    process.kill(pid, 'SIGSTOP')
    expect(await read()).toEqual([1, 1, before])
    expect(await read()).toEqual([1, 1, before])
    process.kill(pid, 'SIGCONT')
    await expect.poll(read).toEqual([0, 1, before])
    process.kill(pid, 'SIGSTOP')
    expect(await read()).toEqual([1, 1, before])
    process.kill(pid, 'SIGKILL')
    await expect.poll(deaths).toBe(died + 1)
    await expect.poll(() => workers().length).toBe(started + 1)
    await expect.poll(read).toEqual([0, 1, before])
  })

  it('show the lag of the worker that has most, which an average would hide', async () => {
    const lag = async () => (await scrape(url)).get('nodejs_eventloop_lag_p99_seconds')
    const afterStop = async () => {
      const pid = workers().at(-1) as number
      await lag()
      process.kill(pid, 'SIGSTOP')
      await sleep(1500)
      process.kill(pid, 'SIGCONT')
      return lag()
    }
    await expect.poll(afterStop).toBeGreaterThan(1.2)
  })
})

describe('the packed service', () => {
  it('measures nothing if nobody asked, and opens no port for it', async () => {
    const service = await startProcess(database.env)
    expect(service.output()).not.toContain('/metrics')
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
    await service.end('SIGTERM')
  })

  it('logs each request on demand: without query and client, unless the client is asked for', async () => {
    const linesOf = async (accessLog: string) => {
      const service = await startProcess({ ...database.env, ACCESS_LOG: accessLog })
      // Not a search: on a busy machine, the first one may wait too long for its thread.
      const { headers } = await fetch(`${service.url}/newest?q=secret`)
      await fetch(`${service.url}/none`)
      await service.end('SIGTERM')
      expect(service.output()).not.toContain('secret')
      const lines = service.output().match(/^\{.*"request"\}$/gm) ?? []
      return { id: headers.get('x-request-id'), lines: lines.map(line => JSON.parse(line)) }
    }
    const { id, lines } = await linesOf('on')
    expect(lines).toEqual([
      expect.objectContaining({
        level: 30,
        reqId: id,
        method: 'GET',
        route: '/newest',
        status: 200,
        ms: expect.any(Number),
      }),
      expect.objectContaining({ method: 'GET', status: 404 }),
    ])
    expect(JSON.stringify(lines)).not.toContain('127.0.0.1')
    expect((await linesOf('with-address')).lines[0]).toMatchObject({ address: '127.0.0.1' })
    expect((await linesOf('off')).lines).toEqual([])
  })
})
