import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PlacardClient } from '../src/client.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { memoryStore, type SubmissionStore } from '../src/submissions/store.ts'
import { credentialsOf, errorOf, journalLines, newJournalPath, RECEIPT, REQUEST, runCli } from './fixtures.ts'
import { reply, startPeer } from './peer.ts'
import { CAPABILITIES } from './replies.ts'

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Bundles as for a worker, where there is nothing but Web APIs: an import of node: fails. */
async function bundled(entry: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [source(entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['worker'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
}

describe('the core', () => {
  test('is at most 60 KB minified, and asks for nothing of Node', async () => {
    const { text, inputs } = await bundled('src/index.ts')
    expect(text.length).toBeGreaterThan(5_000)
    expect(text.length).toBeLessThanOrEqual(60 * 1024)
    expect(text).not.toMatch(/["']node:|\bBuffer\b|\bprocess\b|\brequire\(/)
    expect(inputs.filter(path => !/(client|contract)\/(src|dist)\//.test(path))).toEqual([])
    console.log(`core: ${(text.length / 1024).toFixed(1)} KB minified, of ${inputs.length} files`)
  })

  test('is what keeps the file store out: that needs Node', async () => {
    await expect(bundled('src/file-store/index.ts')).rejects.toThrow('node:')
  })

  test('publishes from its bundle, with Web APIs alone', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const { text } = await bundled('src/index.ts')
    const core = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
    const client = new core.PlacardClient({ service: peer.url, store: core.memoryStore() })
    expect((await client.publish(REQUEST)).receipt.productUrl).toBe(RECEIPT.productUrl)
  })
})

describe('a fetch that is given', () => {
  test('sends every request, and follows no redirect', async () => {
    const peer = await startPeer(reply(201, RECEIPT), reply(200, CAPABILITIES))
    const sent: [string, string | undefined][] = []
    const client = new PlacardClient({
      service: peer.url,
      store: memoryStore(),
      fetch: (url, init) => {
        sent.push([url, init.redirect])
        return fetch(url, init as RequestInit)
      },
    })
    await client.publish(REQUEST)
    await client.capabilities()
    expect(sent).toEqual([
      [`${peer.url}/api/v1/agent/listings`, 'manual'],
      [`${peer.url}/api/v1/agent/capabilities`, 'manual'],
    ])
  })

  test.each([
    ['throws', () => Promise.reject(new Error('mine'))],
    [
      'throws at once',
      (): never => {
        throw 'mine'
      },
    ],
    ['gives nothing', async () => undefined as never],
    ['gives a text', async () => 'mine' as never],
  ])('and %s leaves the result open', async (_what, wrong) => {
    const client = new PlacardClient({
      service: 'https://placard.dev',
      store: memoryStore(),
      fetch: wrong,
      waitBudgetMs: 0,
    })
    expect(await errorOf(client.publish(REQUEST))).toMatchObject({ kind: 'unknown', keepCredentials: true })
  })
})

test('the command uses the proxy of the environment if Node is configured to', {
  tags: ['programs'],
}, async () => {
  const peer = await startPeer(reply(200, CAPABILITIES))
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const [host, port] = (request.url ?? '').split(':')
    const there = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    there.pipe(socket).pipe(there)
    for (const each of [there, socket]) each.on('error', () => {})
  })
  // Node 26 asks for plain http without a tunnel.
  proxy.on('request', ({ url = '' }, response) => {
    asked.push(new URL(url).host)
    get(url, answer => answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers)))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const env = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  }
  const { code } = await runCli(['capabilities', '--service', peer.url], env)
  expect([code, asked]).toEqual([0, [new URL(peer.url).host]])
})

describe('a store of one’s own', () => {
  const good = (): SubmissionStore => memoryStore()
  const fails = () => Promise.reject(new Error(`no disk for ${'ab'.repeat(32)}`))

  test.each([
    ['that cannot be read', { read: fails }, 'journal_unusable'],
    ['that cannot be written', { append: fails }, 'journal_unusable'],
    ['that keeps nothing', { append: async () => {} }, 'journal_unusable'],
    ['that gives something else', { read: async () => [{ key: 1 }] as unknown as JournalRecord[] }, 'journal_unusable'],
    ['that gives nothing', { read: async () => undefined as unknown as JournalRecord[] }, 'journal_unusable'],
  ])('%s stops a publish before anything is sent', async (_what, part, code) => {
    const peer = await startPeer(reply(201, RECEIPT))
    const client = new PlacardClient({ service: peer.url, store: { ...good(), ...part } })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'usage', code, field: 'store' })
    expect(error.message).not.toContain('abab')
    expect(peer.arrivals).toEqual([])
  })

  test('whose outcome cannot be written still returns the receipt', async () => {
    const peer = await startPeer(reply(201, RECEIPT), reply(200, RECEIPT))
    const store = good()
    const append = (record: JournalRecord) => (record.type === 'outcome' ? fails() : store.append(record))
    const client = new PlacardClient({ service: peer.url, store: { ...store, append } })
    await client.publish(REQUEST)
    expect(await client.publish(REQUEST)).toMatchObject({ replayed: true })
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('is needed to publish, and not to read', async () => {
    const peer = await startPeer(reply(200, CAPABILITIES))
    const client = new PlacardClient({ service: peer.url })
    for (const call of [
      () => client.publish(REQUEST),
      () => client.status(),
      () => client.list(),
      () => client.resume(),
    ]) {
      expect(await errorOf(call())).toMatchObject({ kind: 'usage', code: 'store_needed', field: 'store' })
    }
    expect(await client.capabilities()).toEqual(CAPABILITIES)
  })
})

test('an error names the request that the operator can look up', async () => {
  const body = { code: 'not_found', error: 'Nothing is here.', chargeCreated: false }
  for (const [id, requestId] of [
    ['req-1.2', 'req-1.2'],
    ['<script>', undefined],
  ] as const) {
    const peer = await startPeer(reply(404, body, { 'x-request-id': id }))
    expect((await errorOf(new PlacardClient({ service: peer.url }).capabilities())).requestId).toBe(requestId)
  }
})

test('who approved, and how, is kept with the submission', async () => {
  const peer = await startPeer(reply(201, RECEIPT))
  const journalPath = newJournalPath()
  const { fileStore } = await import('../src/file-store/index.ts')
  const client = new PlacardClient({ service: peer.url, store: fileStore(journalPath) })
  await client.publish({ ...REQUEST, approval: { how: 'asked in a chat', by: 'Ada' } })
  expect(journalLines(journalPath)[0]).toMatchObject({ approval: { how: 'asked in a chat', by: 'Ada' } })
  expect(JSON.parse(peer.arrivals[0]?.body ?? '').approval).not.toHaveProperty('by')
  expect(await client.list()).toMatchObject([{ approval: { how: 'asked in a chat', by: 'Ada' } }])
})
