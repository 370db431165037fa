// @module-tag programs
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE_PATH } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/platform/lib/package.ts'
import { freePort } from '../../support/free-port.ts'
import { startProcess } from '../../support/process.ts'
import { quote } from '../../support/service.ts'
import { scrape } from './scrape.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'placard-metrics-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the packed service', () => {
  it('adds up the metrics of its workers', async () => {
    const port = await freePort()
    const service = await startProcess({ DATA_DIR: dataDir, WORKERS: '2', METRICS_PORT: String(port) })
    const url = `http://127.0.0.1:${port}/metrics`
    for (let sent = 0; sent < 8; sent++) await quote(service, {})
    const all = await scrape(url)
    const series = `http_server_request_duration_seconds_count{method="POST",route="${QUOTE_PATH}",status="400"}`
    expect(all.get(series)).toBe(8)
    // Both see the same work, so it is not added up.
    expect(all.get('placard_jobs_due{kind="pictures"}')).toBe(0)
    expect(all.get('placard_ready')).toBe(1)
    expect(all.get('placard_moderation_pending{kind="report"}')).toBe(0)
    const { commit = '' } = (await (await fetch(`${service.url}/readyz`)).json()) as { commit?: string }
    expect([...all.keys()].filter(name => name.startsWith('placard_build_info'))).toEqual([
      `placard_build_info{version="${VERSION}",commit="${commit}",engine="sqlite"}`,
    ])
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('counts on after a worker was killed: Prometheus would take a smaller sum for a restart', async () => {
    const port = await freePort()
    const service = await startProcess({ DATA_DIR: dataDir, WORKERS: '2', METRICS_PORT: String(port) })
    const series = `http_server_request_duration_seconds_count{method="POST",route="${QUOTE_PATH}",status="400"}`
    const counted = async () => (await scrape(`http://127.0.0.1:${port}/metrics`)).get(series)
    for (let sent = 0; sent < 8; sent++) await quote(service, {})
    expect(await counted()).toBe(8)
    const workers = () =>
      [...service.output().matchAll(/"pid":(\d+),[^\n]*"listening on/g)].map(([, pid]) => Number(pid))
    process.kill(workers()[1] as number, 'SIGKILL')
    await expect.poll(() => service.output()).toContain('a worker died')
    // Also while the next worker starts, which cannot answer yet.
    while (workers().length < 3) expect(await counted()).toBe(8)
    expect(await counted()).toBe(8)
    await quote(service, {})
    expect(await counted()).toBe(9)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('shows that a worker does not answer, and what the others measured', async () => {
    const port = await freePort()
    const service = await startProcess({ DATA_DIR: dataDir, WORKERS: '2', METRICS_PORT: String(port) })
    const read = async () => {
      const all = await scrape(`http://127.0.0.1:${port}/metrics`)
      const series = `http_server_request_duration_seconds_count{method="POST",route="${QUOTE_PATH}",status="400"}`
      return ['placard_workers_silent', 'placard_ready', series].map(name => all.get(name))
    }
    for (let sent = 0; sent < 8; sent++) await quote(service, {})
    expect(await read()).toEqual([0, 1, 8])
    const [, pid] = [...service.output().matchAll(/"pid":(\d+),[^\n]*"listening on/g)].map(([, found]) => Number(found))
    process.kill(pid as number, 'SIGSTOP')
    expect(await read()).toEqual([1, 1, 8])
    expect(await read()).toEqual([1, 1, 8])
    process.kill(pid as number, 'SIGCONT')
    await expect.poll(read).toEqual([0, 1, 8])
    process.kill(pid as number, 'SIGSTOP')
    expect(await read()).toEqual([1, 1, 8])
    process.kill(pid as number, 'SIGKILL')
    await expect.poll(() => service.output()).toContain('a worker died')
    await expect.poll(read).toEqual([0, 1, 8])
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('shows the lag of the worker that has most, which an average would hide', async () => {
    const port = await freePort()
    const service = await startProcess({ DATA_DIR: dataDir, WORKERS: '2', METRICS_PORT: String(port) })
    const lag = async () => (await scrape(`http://127.0.0.1:${port}/metrics`)).get('nodejs_eventloop_lag_p99_seconds')
    const [, pid] = [...service.output().matchAll(/"pid":(\d+),[^\n]*"listening on/g)].map(([, found]) => Number(found))
    const afterStop = async () => {
      await lag()
      process.kill(pid as number, 'SIGSTOP')
      await sleep(1500)
      process.kill(pid as number, 'SIGCONT')
      return lag()
    }
    await expect.poll(afterStop).toBeGreaterThan(1.2)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('measures nothing if nobody asked, and opens no port for it', async () => {
    const service = await startProcess({ DATA_DIR: dataDir })
    expect(service.output()).not.toContain('/metrics')
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
    await service.end('SIGTERM')
  })

  it('logs each request on demand: without query and client, unless the client is asked for', async () => {
    const linesOf = async (accessLog: string) => {
      const service = await startProcess({ DATA_DIR: dataDir, ACCESS_LOG: accessLog })
      const { headers } = await fetch(`${service.url}/search?q=secret`)
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
        route: '/search',
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
