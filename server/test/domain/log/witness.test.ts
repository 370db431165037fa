import { hash, randomBytes } from 'node:crypto'
import {
  checkpointText,
  cosignerOf,
  joinNote,
  leafHash,
  openNote,
  proveConsistency,
  type ReadTile,
  signerOf,
  splitNote,
  TreeBuilder,
} from '@placard/contract/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const newSeed = () => randomBytes(32)
const WITNESS_KEY = newSeed()
const SIGNER = signerOf('log.example/one', newSeed())
const NEWER_SIGNER = signerOf('log.example/two', newSeed())
const OLDER_SIGNER = signerOf('log.example/two', newSeed())
const REPEATING_SIGNER = signerOf('log.example/many', newSeed())

const RACERS = Array.from({ length: 5 }, (_, nth) => signerOf(`racer.example/${nth}`, newSeed()))

/** A log of somebody else: entries of any text, and what its tiles hold. At most 256 entries. */
class OtherLog {
  readonly #leaves: Buffer[] = []
  readonly #origin: string
  constructor(origin: string, entries: string[]) {
    this.#origin = origin
    this.grow(entries)
  }
  grow(entries: string[]): void {
    this.#leaves.push(...entries.map(leafHash))
  }
  text(size = this.#leaves.length): string {
    const tree = new TreeBuilder()
    for (const leaf of this.#leaves.slice(0, size)) tree.add(leaf)
    return checkpointText({ origin: this.#origin, size, root: tree.root() })
  }
  async request(old: number, size = this.#leaves.length, signers = [SIGNER]): Promise<string> {
    const read: ReadTile = async (_level, _index, width) => Buffer.concat(this.#leaves.slice(0, width))
    const proof = old <= size ? await proveConsistency(old, size, read) : []
    const text = this.text(size)
    const note = joinNote(
      text,
      signers.map(signer => signer.sign(text)),
    )
    return [`old ${old}`, ...proof.map(each => each.toString('base64')), '', note].join('\n')
  }
}

const named = (count: number, name = 'entry') => Array.from({ length: count }, (_, at) => `${name} ${at}`)

describe.each(SQLITE_FIRST)('a witness for other logs, on %s', engine => {
  let service: TestService
  let vkey: string
  beforeAll(async () => {
    service = await startTestService({
      engine,
      env: {
        SIGNING_KEY: WITNESS_KEY.toString('hex'),
        WITNESS_FOR: [SIGNER, NEWER_SIGNER, OLDER_SIGNER, REPEATING_SIGNER, ...RACERS]
          .map(signer => signer.vkey)
          .join(', '),
      },
    })
    const seed = new Secret(WITNESS_KEY).derive('placard witness key').reveal()
    vkey = cosignerOf(`${new URL(service.url).host}/witness`, seed).vkey
  })
  afterAll(() => service.stop())

  const add = async (body: string | Uint8Array<ArrayBuffer>) => {
    const response = await fetch(`${service.url}/witness/add-checkpoint`, { method: 'POST', body })
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
  }

  const seen = (hash: string) => fetch(`${service.url}/witness/${hash}/checkpoint`)

  it('cosigns what is consistent with what it saw, by the rules of tlog-witness', async () => {
    const log = new OtherLog('log.example/one', named(5))
    const address = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from('log.example/one'))).toString('hex')
    expect((await seen(address)).status).toBe(404)

    // Malformed.
    const good = await log.request(0)
    for (const bad of ['', 'old 0', good.replace('old 0', 'old 00'), good.replace('old 0', 'old'), `${good}x`]) {
      expect([bad, (await add(bad)).status]).toEqual([bad, 400])
    }
    expect((await add(good.replace('old 0\n', 'old 0\nAAAA\n'))).status).toBe(400)
    expect((await add(new Uint8Array([0xff, ...Buffer.from(good)]))).status).toBe(400)
    expect((await add(await log.request(6))).status).toBe(400)
    expect((await add(`${good}${'— a.example AAAAAAAA\n'.repeat(6000)}`)).status).toBe(413)

    // Not its log, and not signed by it.
    expect((await add(await new OtherLog('log.example/unknown', named(5)).request(0))).status).toBe(404)
    expect((await add(await log.request(0, 5, [NEWER_SIGNER]))).status).toBe(403)
    expect(
      (await add(await log.request(0, 5, [{ ...SIGNER, sign: () => SIGNER.sign('another text\n') }]))).status,
    ).toBe(403)

    // The first checkpoint needs no proof, and must have none.
    const hash = randomBytes(32).toString('base64')
    expect((await add(good.replace('old 0\n', `old 0\n${hash}\n`))).status).toBe(422)
    const noEntries = checkpointText({ origin: 'log.example/one', size: 0, root: randomBytes(32) })
    expect((await add(`old 0\n\n${joinNote(noEntries, [SIGNER.sign(noEntries)])}`)).status).toBe(422)
    const first = await add(good)
    expect(first).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' })
    const { signatures } = openNote(joinNote(log.text(), [first.text]), [vkey])
    expect(signatures).toEqual([{ name: vkey.split('+')[0], vkey, time: service.clock.now / 1000 }])

    // From then on, the old size must be that of the last one.
    const conflict = { status: 409, text: '5\n', type: 'text/x.tlog.size' }
    expect(await add(good)).toEqual(conflict)
    // Many clients send no media type.
    expect((await add(new Uint8Array(Buffer.from(await log.request(5))))).status).toBe(200)
    log.grow(named(8, 'later'))
    expect(await add(await log.request(3))).toEqual(conflict)
    expect((await add((await log.request(5)).replace(/\n[^\n]+\n\n/, `\n${hash}\n\n`))).status).toBe(422)
    expect((await add(await log.request(5))).status).toBe(200)

    // Another version of the log.
    const fork = new OtherLog('log.example/one', [...named(5), ...named(20, 'fork')])
    // Until July 2026, tlog-witness required 409 here. Now, every 409 has a size.
    expect((await add(await fork.request(13, 13))).status).toBe(422)
    expect((await add(await fork.request(13))).status).toBe(422)
    expect((await add(await fork.request(5, 12))).text).toBe('13\n')

    const shown = await seen(address)
    expect(shown.status).toBe(200)
    const note = openNote(await shown.text(), [vkey, SIGNER.vkey])
    expect(note.text).toBe(log.text())
    expect(note.signatures.map(each => each.vkey)).toEqual([SIGNER.vkey, vkey])
  })

  it('accepts any key of a log, and ignores signatures that it does not know', async () => {
    const log = new OtherLog('log.example/two', named(1))
    expect((await add(await log.request(0, 1, [OLDER_SIGNER]))).status).toBe(200)
    expect((await add(await log.request(1, 1, [NEWER_SIGNER]))).status).toBe(200)
    expect((await add(await log.request(1, 1, [SIGNER, NEWER_SIGNER]))).status).toBe(200)
  })

  it('shows monitors one signature of each key, however many the log sent', async () => {
    const log = new OtherLog('log.example/many', named(1))
    expect((await add(await log.request(0, 1, Array(100).fill(REPEATING_SIGNER)))).status).toBe(200)
    const shown = await (await seen(hash('sha256', 'log.example/many'))).text()
    expect(splitNote(shown).lines.map(({ name }) => name)).toEqual(['log.example/many', vkey.split('+')[0]])

    // The other log has the same entries, and keeps its own checkpoint.
    expect((await add(await log.request(1, 1, [REPEATING_SIGNER]))).status).toBe(200)
    expect(await (await seen(hash('sha256', 'log.example/two'))).text()).toMatch(/^log.example\/two\n/)
  })

  it('never cosigns two trees, however many ask at once', async () => {
    for (const racer of RACERS) {
      const forks = Array.from({ length: 8 }, (_, nth) => new OtherLog(racer.name, named(3, `fork ${nth}`)))
      const replies = await Promise.all(forks.map(async fork => add(await fork.request(0, 3, [racer]))))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
      const winner = forks[replies.findIndex(({ status }) => status === 200)] as OtherLog
      winner.grow(named(8))
      const sizes = named(8).map((_, nth) => 4 + nth)
      const again = await Promise.all(sizes.map(async size => add(await winner.request(3, size, [racer]))))
      expect(again.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(again.filter(({ status }) => status === 409)).toHaveLength(7)
    }
  })
})

describe('a site without WITNESS_FOR', () => {
  it('is no witness', async () => {
    const service = await startTestService({ jobsEveryMs: 0 })
    const response = await fetch(`${service.url}/witness/add-checkpoint`, { method: 'POST', body: 'old 0\n' })
    await service.stop()
    expect(response.status).toBe(404)
  })
})
