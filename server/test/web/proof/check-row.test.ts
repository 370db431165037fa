// @module-tag browser
import { proveInclusion } from '@placard/contract/log'
import fastify from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIVE_HEADERS } from '../../../src/platform/http/headers.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { renderProof } from '../../../src/web/proof/page.tsx'
import { findAsset } from '../../../src/web/ui/assets.ts'
import { launchBrowser, noteComplaints } from '../../support/browser.ts'
import { pageFaults } from '../../support/page-faults.ts'
import { NOON } from '../../support/service.ts'
import { type StaticLog, staticLog } from './static-log.ts'

/** The log that the server serves now. */
let log: StaticLog
/** Files that it serves otherwise. Each name is that of a file, or begins with it. */
let changed: Record<string, (bytes: Buffer) => Buffer | number> = {}
const SIZES = [1, 2, 3, 255, 256, 257, 600]
const logs = new Map<number, StaticLog>()
const app = fastify()
let browser: Browser
let page: Page
let url: string

beforeAll(async () => {
  for (const size of [...SIZES, 66_000]) logs.set(size, await staticLog(size))
  app.get<{ Querystring: { row: string } }>('/proof', async (request, reply) => {
    const links = new Links({ baseUrl: url, supportUrl: undefined })
    const row = log.rows[Number(request.query.row)]
    if (!row) return reply.code(404).send()
    const asked = {
      typed: String(row.index),
      row: { ...row, listing: { id: 42, slug: 'oak', hostname: 'oak.example' } },
    }
    reply.headers(LIVE_HEADERS).type('text/html; charset=utf-8')
    return renderProof(links)({ log: log.now, asked, now: NOON + 120_000 })
  })
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = findAsset(request.params.name)
    return asset ? reply.type(asset.mediaType).send(asset.body) : reply.code(404).send()
  })
  app.get<{ Params: { '*': string } }>('/log/*', async (request, reply) => {
    const path = request.params['*']
    const bytes = await log.read(path)
    if (!bytes) return reply.code(404).send()
    const [, change] = Object.entries(changed).find(([name]) => path.startsWith(name)) ?? []
    const sent = change?.(Buffer.from(bytes)) ?? bytes
    return typeof sent === 'number' ? reply.code(sent).send() : reply.type('application/octet-stream').send(sent)
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  browser = await launchBrowser()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser.close()
  await app.close()
})

interface Served {
  size: number
  row: number
  files?: typeof changed
}

/** Opens the page of a row, and returns what it says once it has checked it. */
async function check({ size, row, files = {} }: Served): Promise<{ heading: string; said: string[] }> {
  const served = logs.get(size)
  if (!served) throw new Error(`there is no log of ${size} rows`)
  log = served
  changed = files
  await page.goto(`${url}/proof?row=${row}`)
  const heading = page.locator('[data-result] h2', { hasNotText: 'Checking' })
  await heading.waitFor()
  return { heading: (await heading.textContent()) ?? '', said: await page.locator('[data-result] p').allTextContents() }
}

const flip = (at: number) => (bytes: Buffer) => {
  bytes[at < 0 ? bytes.length + at : at] = (bytes.at(at) ?? 0) ^ 1
  return bytes
}
const changeRow = (bytes: Buffer) => {
  bytes.write('7', bytes.indexOf('"index":300,') + '"index":30'.length)
  return bytes
}
const replace = (from: string | RegExp, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString().replace(from, to))

test('a row is checked by the same hashes as the library has', async () => {
  const shown = '[data-hashes]'
  for (const size of SIZES) {
    for (const row of new Set([0, Math.floor(size / 2), size - 1])) {
      const { heading, said } = await check({ size, row })
      expect([heading, said.at(-1)], `${row} of ${size}`).toEqual([
        'It’s in the log',
        'The checkpoint is signed by this site and by 1 other.',
      ])
      const proof = await proveInclusion(row, size, log.readTile)
      const lines = (await page.locator(shown).textContent())?.split('\n').slice(1) ?? []
      expect(lines.map(line => line.slice(-64))).toEqual(proof.map(hash => hash.toString('hex')))
    }
  }
})

test('rows of a log with three levels of tiles are checked, and show what their bytes say', async () => {
  for (const row of [0, 255, 65_535, 65_536, 65_999]) {
    expect((await check({ size: 66_000, row })).heading, `${row}`).toBe('It’s in the log')
  }
  const { said } = await check({ size: 66_000, row: 48_190 })
  expect(said[0]).toMatch(/^Row 48,190 leads to the checkpoint of 66,000 rows in 17 steps\. Your browser .+ \d+ ms\.$/)
  expect(await page.locator('.facts [data-key]:visible').allTextContents()).toEqual([
    'money began to count for a listing',
    '2026-11-21, 11:59:48 UTC',
    '42',
    'all',
    '$181.00',
    '$200.00',
  ])
  expect(await page.locator('[data-text]').textContent()).toBe(log.rows[48_190]?.text)
})

const big = { size: 600, row: 300 }

describe('wrong bytes are refused', () => {
  test.each<[what: string, files: Served['files'], says: RegExp]>([
    ['a byte of the row', { 'tile/entries/001': changeRow }, /Row 300 doesn’t lead to the checkpoint/],
    ['a byte of its bundle’s lengths', { 'tile/entries/001': flip(0) }, /doesn’t have the 256 rows it should/],
    ['another bundle', { 'tile/entries/001': bytes => bytes.subarray(0, -1) }, /doesn’t have the 256 rows it should/],
    ['a hash beside it', { 'tile/0/001': flip(45 * 32) }, /Row 300 doesn’t lead to the checkpoint/],
    ['a hash above it', { 'tile/1/000': flip(3) }, /Row 300 doesn’t lead to the checkpoint/],
    ['a hash at the edge', { 'tile/0/002': flip(5) }, /Row 300 doesn’t lead to the checkpoint/],
    ['a short tile', { 'tile/0/001': bytes => bytes.subarray(32) }, /has 8160 bytes instead of 8192/],
    ['the size', { checkpoint: replace('\n600\n', '\n599\n') }, /wrong signature of placard\.example\.org\/log/],
    ['the root', { checkpoint: flip(30) }, /wrong signature of placard\.example\.org\/log/],
    [
      'the name',
      { checkpoint: replace('placard', 'plAcard') },
      /wrong signature of|isn’t signed with a key of this site/,
    ],
    ['no signature', { checkpoint: replace(/\n\n.+/s, '\n\n') }, /isn’t signed with a key of this site/],
    ['a cosignature', { checkpoint: flip(-8) }, /wrong signature of witness\.example/],
    ['no checkpoint', { checkpoint: () => Buffer.from('<!doctype html>') }, /The checkpoint is malformed/],
  ])('%s', async (_, files, says) => {
    const { heading, said } = await check({ ...big, ...(files && { files }) })
    expect(heading).toBe('It doesn’t fit')
    expect(said[0]).toMatch(says)
    expect(said[1]).toContain('as evidence')
    expect(await page.locator('[data-way]').isVisible()).toBe(false)
  })
})

test('what can’t be read says nothing about the row', async () => {
  for (const [file, status] of [
    ['checkpoint', 503],
    ['tile/0/001', 404],
  ] as const) {
    const { heading, said } = await check({ ...big, files: { [file]: () => status } })
    expect([heading, said]).toEqual([
      'Not checked',
      [`The site answered ${status} for /log/${file}.`, 'This says nothing about the row.'],
    ])
  }
})

test('a row that is dated back was inserted later', async () => {
  const late = await staticLog(3)
  const entry = { ...late.rows[1]?.entry, time: '2026-11-21T10:00:00.000Z' }
  const text = JSON.stringify(entry)
  logs.set(3, await staticLog(3, new Map([[1, text]])))
  const { heading, said } = await check({ size: 3, row: 1 })
  expect([heading, said[0]]).toEqual([
    'It doesn’t fit',
    `The row was inserted later: it is dated 2026-11-21T10:00:00.000Z, but wasn’t there at ${entry.notBefore}.`,
  ])
})

test('a log without witnesses says so, without an empty list', async () => {
  const { now } = await staticLog(1)
  const links = new Links({ baseUrl: url, supportUrl: undefined })
  const html = renderProof(links)({ log: { ...now, witnesses: [] }, asked: undefined, now: NOON })
  expect(html).toContain('No one else signs our checkpoints yet.')
  expect(html).not.toMatch(/<ul[^>]*><\/ul>/)
})

test('without Ed25519, everything else is checked', async () => {
  const old = await browser.newPage()
  await old.addInitScript(`
    const { importKey } = SubtleCrypto.prototype
    SubtleCrypto.prototype.importKey = async (format, key, name) => {
      throw new DOMException('Unrecognized name.', 'NotSupportedError')
    }`)
  await check(big)
  await old.goto(page.url())
  await old.getByText('didn’t check who signed').waitFor()
  expect(await old.locator('[data-result] h2').textContent()).toBe('It’s in the log')
  await old.close()
})

test('the page is used with the keyboard, is accessible, and its script breaks no rule', async () => {
  const broken: string[] = []
  noteComplaints(page, broken)
  await check(big)
  expect(await pageFaults(page, 'checked row')).toEqual([])
  await check({ ...big, files: { 'tile/0/001': flip(3) } })
  expect(await pageFaults(page, 'refused row')).toEqual([])
  await check(big)
  await page.getByRole('textbox', { name: 'Row number' }).focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('17')
  await page.keyboard.press('Enter')
  await page.getByText('Row 17 leads to the checkpoint').waitFor()
  expect(page.url()).toMatch(/\/proof\?row=17#row$/)
  expect(broken).toEqual([])
})

test('the module is small', () => {
  expect(findAsset('proof.js')?.body.length).toBeLessThanOrEqual(10_000)
})
