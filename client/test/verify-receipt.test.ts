import { hash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type OpenedEntry,
  parseEntry,
  parseExtra,
  parseProof,
  proveInclusion,
  signerOf,
  writeExtra,
  writeProof,
} from '@placard/contract/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../src/command/run.ts'
import { LogService, runCommand } from './log-service.ts'
import { newJournal } from './real-service.ts'

const file = join(tmpdir(), `receipt-${process.pid}.tlog-proof`)
const SALT = Buffer.alloc(16, 7)

let service: LogService
let journal: string
let index: number
let privateText: string
let key: string
beforeAll(async () => {
  service = await LogService.start()
  journal = newJournal()
  key = service.signers[0]?.vkey ?? ''
  service.begin()
  for (let listing = 1; listing <= 40; listing++) service.count(listing, 500)
  index = service.entries.length
  const { time } = parseEntry(service.entries.at(-1) ?? '')
  privateText = JSON.stringify({ kind: 'accept', at: Date.parse(time), listingId: 7, url: 'https://shop.example/' })
  const commitment = hash('sha256', Buffer.concat([SALT, Buffer.from(privateText)]), 'base64')
  service.add({ kind: 'listed', time, listing: 7, private: commitment })
  service.count(7, 500)
  service.add({ kind: 'listed', time, listing: 8, private: commitment })
  service.add({ kind: 'listed', listing: 7, private: commitment })
  await service.publish()
})
afterAll(async () => {
  await service.stop()
  rmSync(file, { force: true })
})

/** The proof as a service gives it. */
async function proofOf(at = index, opened: object = { salt: SALT.toString('hex'), private: privateText }) {
  const hashes = await proveInclusion(at, service.entries.length, service.readTile)
  const extra = writeExtra({ entry: service.entries[at] ?? '', ...opened })
  return writeProof({ index: at, hashes, extra, checkpoint: service.note })
}

async function verify(proof: string, ...more: string[]) {
  writeFileSync(file, proof)
  const { code, stdout, stderr } = await runCommand([
    'verify',
    'receipt',
    file,
    '--journal',
    journal,
    '--json',
    ...more,
  ])
  const said = JSON.parse(stdout || stderr)
  return { code, said, kind: said.differences?.[0]?.kind }
}

/** The proof with its parts changed. */
function changed(proof: string, edit: (extra: OpenedEntry) => void): string {
  const parsed = parseProof(proof)
  const extra = parseExtra(parsed.extra ?? Buffer.alloc(0))
  edit(extra)
  return writeProof({ ...parsed, extra: writeExtra(extra) })
}

describe('verifying a receipt', () => {
  it('needs a key: one that is given, one that was seen, or the service', async () => {
    const proof = await proofOf()
    expect(await verify(proof)).toMatchObject({
      code: 2,
      said: { error: expect.stringContaining('No key of the log') },
    })
    const verified = {
      agrees: true,
      entry: { index, kind: 'listed', listing: 7 },
      private: { url: 'https://shop.example/' },
    }
    expect(await verify(proof, '--key', key)).toMatchObject({ code: 0, said: verified })
    expect(await verify(proof, '--service', service.url)).toMatchObject({ code: 0, said: verified })
    // The service was seen, so that its key is known offline.
    expect(await verify(proof)).toMatchObject({ code: 0, said: verified })
    // What was seen of another site does not matter.
    writeFileSync(join(dirname(journal), 'logs', 'other.example.json'), 'cut o')
    expect(await verify(proof)).toMatchObject({ code: 0, said: verified })
    const cosigned = { signatures: [{ vkey: key }, { name: 'witness.example/w1' }] }
    expect(await verify(proof, '--witness', service.witness.vkey)).toMatchObject({ code: 0, said: cosigned })
  })

  it('finds a private part of another listing or time than its entry', async () => {
    for (const at of [index + 3, index + 4]) {
      const { code, kind } = await verify(await proofOf(at), '--key', key)
      expect([code, kind]).toEqual([1, 'private_part_wrong'])
    }
  })

  it('reads a proof that a mail or an editor gave other ends of lines', async () => {
    const proof = await proofOf()
    for (const sent of [proof.replaceAll('\n', '\r\n'), `\uFEFF${proof}`, proof.trimEnd(), `\n${proof}\n`]) {
      expect(await verify(sent, '--key', key)).toMatchObject({ code: 0, said: { agrees: true } })
    }
  })

  it('shows what an order counted, without a private part', async () => {
    const { code, said } = await verify(await proofOf(index + 1, {}), '--key', key)
    expect(code).toBe(0)
    expect(said.entry).toMatchObject({ kind: 'counted', board: 'all', listing: 7, totalCents: 1000 })
    expect(said).not.toHaveProperty('private')
  })

  it.each<[string, (proof: string) => string, string]>([
    [
      'proof_malformed',
      proof => proof.replace('index', 'idx'),
      'This proof file is damaged: it has no index of an entry.',
    ],
    [
      'proof_malformed',
      proof => changed(proof, extra => void Object.assign(extra, { entry: undefined })),
      'This proof file is damaged: its extra data does not have the entry.',
    ],
    [
      'proof_wrong',
      proof =>
        changed(
          proof,
          extra => void Object.assign(extra, { entry: extra.entry.replace('"listing":7', '"listing":8') }),
        ),
      'The checkpoint does not cover what this file gives as entry 81.',
    ],
    [
      'proof_wrong',
      proof => proof.replace('index 81', 'index 80'),
      'The checkpoint does not cover what this file gives as entry 80.',
    ],
    [
      'private_part_wrong',
      proof => changed(proof, extra => void Object.assign(extra, { private: extra.private?.replace('shop', 'chop') })),
      'The private part in this file is not that of entry 81.',
    ],
    [
      'private_part_wrong',
      proof => changed(proof, extra => void Object.assign(extra, { salt: '00' })),
      'The private part in this file is not that of entry 81.',
    ],
    [
      'signature_wrong',
      proof => proof.replace('site.example/log\n86\n', 'site.example/log\n87\n'),
      'The signature of site.example/log does not fit the text.',
    ],
    [
      'signature_missing',
      proof => proof.replace(/— site.*\n/, signerOf('site.example/log', Buffer.alloc(32, 8)).sign('')),
      'No key of the log that you trust signed the checkpoint of this proof.',
    ],
  ])('finds %s', async (kind, edit, sentence) => {
    const { code, said } = await verify(edit(await proofOf()), '--key', key)
    expect({ code, differences: said.differences }).toEqual({ code: 1, differences: [{ kind, sentence }] })
  })

  it('waits for the checkpoint of a proof that was given a moment ago', async () => {
    const early = Buffer.from(service.note)
    service.count(9, 500)
    await service.publish()
    // A cache keeps the checkpoint for a second.
    service.overrides.set('/log/checkpoint', right => {
      service.overrides.clear()
      return right && early
    })
    const proof = await proofOf(service.entries.length - 1, {})
    expect(await verify(proof, '--service', service.url, '--wait', '3')).toMatchObject({ code: 0, kind: undefined })
  })

  it('finds a proof that no longer fits the log of its service, and a witness that did not sign', async () => {
    const proof = await proofOf()
    journal = newJournal()
    const other = signerOf('witness.example/w2', Buffer.alloc(32, 4)).vkey
    expect(await verify(proof, '--key', other)).toMatchObject({ code: 1, kind: 'signature_missing' })
    service.isCosigned = false
    await service.publish()
    const bare = await proofOf()
    expect(await verify(bare, '--key', key, '--witness', service.witness.vkey)).toMatchObject({
      kind: 'witness_missing',
    })

    service.reset()
    service.begin()
    for (let listing = 1; listing <= 60; listing++) service.count(listing, 400)
    await service.publish()
    journal = newJournal()
    expect(await verify(proof, '--service', service.url)).toMatchObject({ code: 1, kind: 'log_rewritten' })
  })

  it('needs a file', async () => {
    rmSync(file, { force: true })
    const io = { env: {}, stdin: process.stdin, stdout: { write: () => {} }, stderr: { write: () => {} } }
    expect(await run(['verify', 'receipt', file], io)).toBe(2)
    expect(await run(['verify', 'receipt'], io)).toBe(2)
    expect(await run(['verify', 'everything'], io)).toBe(2)
    expect(await run(['verify', 'draw', '2026-02-30'], io)).toBe(2)
  })
})
