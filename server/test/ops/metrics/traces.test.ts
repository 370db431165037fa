// @module-tag programs
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startProcess } from '../../support/process.ts'
import { newCredentials, publishAtLast, publishBody } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}
interface Export {
  resourceSpans: {
    resource: Pick<Span, 'attributes'>
    scopeSpans: { spans: Span[] }[]
  }[]
}

let dataDir: string
let sites: Sites
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'placard-traces-'))
  sites = await startSites()
})
afterEach(async () => {
  await sites.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** What a collector receives over OTLP/HTTP. */
async function startCollector() {
  const exports: { path: string; sent: Export }[] = []
  const server = createServer(async (request, response) => {
    exports.push({ path: request.url ?? '', sent: (await json(request)) as Export })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    close: () => server.close(),
  }
}

it('the packed service sends a trace of each request to a collector, with routes and no addresses', async () => {
  const collector = await startCollector()
  const service = await startProcess({
    DATA_DIR: dataDir,
    FETCH_CONNECT_TO: sites.connectTo,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  expect((await publishAtLast(service, newCredentials(), publishBody('http://bakery.com'))).status).toBe(201)
  expect((await fetch(`${service.url}/product/bakery-com?token=private`)).status).toBe(200)
  expect((await fetch(`${service.url}/none/private`)).status).toBe(404)
  // A stop sends what is left.
  expect(await service.end('SIGTERM')).toBe(0)
  collector.close()

  expect(new Set(collector.exports.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
  const sent = collector.exports.flatMap(each => each.sent.resourceSpans)
  const about = sent.flatMap(({ resource }) => resource.attributes)
  expect(about).toContainEqual({ key: 'service.name', value: { stringValue: 'placard' } })
  const spans = sent.flatMap(each => each.scopeSpans).flatMap(each => each.spans)
  const span = (name: string) => spans.find(each => each.name === name)
  const published = span('POST /api/v1/agent/listings')
  expect(published?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } })
  expect(span('GET /product/:slug')).toBeDefined()
  expect(span('GET none')).toBeDefined()
  // The review belongs to its publish.
  expect(span('review fetcher')?.traceId).toBe(published?.traceId)
  expect(JSON.stringify(collector.exports)).not.toMatch(/private|bakery/)
})

it('serves and stops as ever while the collector is away', async () => {
  const service = await startProcess({ DATA_DIR: dataDir, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  expect(await service.end('SIGTERM')).toBe(0)
})
