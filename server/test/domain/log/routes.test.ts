import {
  isIncluded,
  leafHash,
  openNote,
  parseCheckpoint,
  parseEntry,
  proveInclusion,
  readBundle,
  tilePath,
  treeRoot,
} from '@placard/contract/log'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordDecisions } from '../../../src/domain/decisions/record.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'

let service: TestService
let note = ''
beforeAll(async () => {
  service = await startTestService({ now: Date.now(), jobsEveryMs: 100 })
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}/log/${path}`, { headers })
const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer())

it('serves a signed checkpoint of all entries, which caches keep for a moment', async () => {
  expect((await publish(service, newCredentials(), publishBody('http://one.com/'))).status).toBe(201)
  const store = await service.database.openStore()
  const decision = { kind: 'block', ground: 'rules/operator', reason: 'test', facts: {}, at: Date.now() } as const
  await store.transact(trx =>
    recordDecisions(
      trx,
      Array.from({ length: 300 }, () => ({ ...decision, actor: 'operator:Ada' })),
    ),
  )
  await expect
    .poll(async () => {
      const reply = await get('checkpoint')
      note = await reply.text()
      return [reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control'), note.split('\n')[1]]
    })
    .toEqual([200, 'text/plain; charset=utf-8', 'public, max-age=1', '302'])
  expect((await get('checkpoint')).headers.get('access-control-allow-origin')).toBe('*')
})

it('serves permanent tiles and bundles, from which the checkpoint follows', async () => {
  const { size, root } = parseCheckpoint(openNote(note, []).text)
  const bundles = await Promise.all([bytesOf(tilePath('entries', 0, 256)), bytesOf(tilePath('entries', 1, size - 256))])
  const entries = bundles.flatMap(readBundle)
  expect(entries).toHaveLength(size)
  const began = parseEntry(String(entries[0]))
  expect(began).toMatchObject({ index: 0, kind: 'began', replayed: false })
  expect(openNote(note, [began.vkey ?? '']).signatures).toMatchObject([{ name: began.origin }])

  const readTile = (level: number, index: number, width: number) => bytesOf(tilePath(level, index, width))
  expect(await treeRoot(size, readTile)).toEqual(root)
  const proof = await proveInclusion(300, size, readTile)
  const leaf = leafHash(entries[300] ?? '')
  expect(isIncluded({ leaf, index: 300, size, root, proof })).toBe(true)
  const tile = await get('tile/0/000')
  expect(tile.headers.get('content-type')).toBe('application/octet-stream')
  expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  // If a restore takes the log back, a purge must reach what was cached of the lost entries.
  expect(tile.headers.get('surrogate-key')).toBe('site')
  expect(Buffer.from(await tile.arrayBuffer())).toEqual(
    Buffer.concat(entries.slice(0, 256).map(each => leafHash(each))),
  )

  const bundle = await get('tile/entries/000', { 'accept-encoding': 'gzip' })
  expect(bundle.headers.get('content-encoding')).toBe('gzip')
  expect(bundles[0]).toEqual(Buffer.from(await bundle.arrayBuffer()))
})

it.each([
  'tile/0/001', // not full yet
  'tile/0/001.p/200', // beyond the checkpoint
  'tile/1/001',
  'tile/1/000',
  'tile/64/000',
  'tile/0/1',
  'tile/0/000.p/256',
  'tile/0/000.p/0',
  'tile/entries/002',
  'tile/leaves/000',
  'tile/0/x000/000',
])('has no %s', async path => {
  const reply = await get(path)
  expect([reply.status, (await reply.json()).code]).toEqual([404, 'not_found'])
})
