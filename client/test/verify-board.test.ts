import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  checkpointText,
  entryText,
  joinNote,
  leafHash,
  readBundle,
  signerOf,
  tilePath,
  treeRoot,
  writeBundle,
} from '@placard/contract/log'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { TRIES_ALL } from '../../server/test/support/runs.ts'
import { PlacardError } from '../src/error.ts'
import { Disagreement } from '../src/log/disagreement.ts'
import { FollowedLog } from '../src/log/follow.ts'
import { keptLogPath } from '../src/log/kept-log.ts'
import { LogFiles } from '../src/log/log-files.ts'
import { LogService, runCommand } from './log-service.ts'
import { newJournal } from './real-service.ts'

let service: LogService
let journal: string
beforeEach(async () => {
  service = await LogService.start()
  journal = newJournal()
  service.begin()
  // Past days, refunds, a dispute won, listings hidden and restored, a draw, more than one tile.
  for (let listing = 1; listing <= 120; listing++) service.count(listing, 500 + (listing % 7) * 100, '2026-11-19')
  await service.draw('2026-11-20', [7, 3, 11])
  for (let listing = 1; listing <= 20; listing++) service.count(listing, 1000, '2026-11-21')
  service.count(5, -300, '2026-11-19')
  service.count(6, -500 - 600, '2026-11-19', 'disputed')
  service.count(6, 500 + 600, '2026-11-19', 'won_back')
  service.show(9, false)
  service.show(10, false)
  service.show(10, true)
  service.add({ kind: 'decided', private: leafHash('private').toString('base64') })
  await service.publish()
})
afterEach(() => service.stop())

interface Verified {
  code: number
  kinds: string[]
  sentences: string[]
  said: string
  entries?: { entries: number; newEntries: number }
}

/** Runs the command as a program would. By default, it does not look again. */
async function verify(...more: string[]): Promise<Verified> {
  const wait = more.includes('--wait') ? [] : ['--wait', '0']
  const argv = ['verify', 'board', '--service', service.url, '--journal', journal, '--json', ...wait, ...more]
  const { code, stdout, stderr } = await runCommand(argv)
  const { differences = [], log } = stdout === '' ? {} : JSON.parse(stdout)
  const listed = differences as { kind: string; sentence: string }[]
  return {
    code,
    kinds: listed.map(({ kind }) => kind),
    sentences: listed.map(({ sentence }) => sentence),
    said: stdout + stderr,
    ...(log && { entries: { entries: log.entries, newEntries: log.newEntries } }),
  }
}

/** Changes the JSON that a path answers. */
const change = (path: string, edit: (value: { entries: Row[]; drawn: { id: number }[]; seed: string }) => void) =>
  service.overrides.set(path, right => {
    const value = JSON.parse(String(right))
    edit(value)
    return Buffer.from(JSON.stringify(value))
  })
interface Row {
  rank: number
  id: number
  totalCents: number
  reachedAt: number
}

describe('verifying a draw', () => {
  const verifyLog = async (...more: string[]) => {
    const argv = ['verify', 'draw', '2026-11-21', '--service', service.url, '--journal', journal, '--json', ...more]
    const { checks } = JSON.parse((await runCommand(argv)).stdout) as {
      checks: { what: string; agrees: boolean; found?: string }[]
    }
    return checks.find(({ what }) => what.startsWith('The log has them'))
  }

  it('waits until the log has a draw that was drawn a moment ago', async () => {
    const early = Buffer.from(service.note)
    await service.draw('2026-11-21', [4, 2])
    await service.publish()
    const signLater = (answers: number) =>
      service.overrides.set('/log/checkpoint', right => (answers-- > 0 ? early : right))
    signLater(1)
    expect(await verifyLog('--wait', '3')).toMatchObject({ agrees: true })
    journal = newJournal()
    signLater(9)
    expect(await verifyLog('--wait', '3')).toMatchObject({
      agrees: false,
      found: 'The service has a draw of 2026-11-21, which the log does not have.',
    })
  })
})

describe('verifying a board', () => {
  it('agrees with the log of all that happened, and reads only what is new the next time', async () => {
    const first = await verify('--witness', service.witness.vkey)
    expect(first).toMatchObject({ code: 0, kinds: [] })
    const size = service.entries.length
    expect(first.entries).toEqual({ entries: size, newEntries: size })

    service.requests.length = 0
    expect((await verify()).entries).toEqual({ entries: size, newEntries: 0 })
    expect(service.requests.filter(path => path.startsWith('/log/tile/entries'))).toEqual([])

    for (let listing = 1; listing <= 100; listing++) service.count(listing, 300)
    await service.publish()
    const third = await verify()
    expect(third).toMatchObject({ code: 0, entries: { newEntries: service.entries.length - size } })
    expect(service.requests).not.toContain('/log/tile/entries/000')
  })

  it('keeps what a faster run saw of a longer log', async () => {
    await verify()
    const size = service.entries.length
    const decide = async () => {
      service.add({ kind: 'decided', private: leafHash('private').toString('base64') })
      await service.publish()
    }
    await decide()
    let faster: Verified | undefined
    service.onRequest = async path => {
      if (!path.includes('/boards/') || faster) return
      faster = { code: -1, kinds: [], sentences: [], said: '' }
      await decide()
      faster = await verify()
    }
    expect((await verify()).entries).toEqual({ entries: size + 1, newEntries: 1 })
    expect(faster?.entries).toEqual({ entries: size + 2, newEntries: 2 })
    expect((await verify()).entries).toEqual({ entries: size + 2, newEntries: 0 })
  })

  it('follows a key that the log named while an older one signed it', async () => {
    await verify()
    const next = signerOf('site.example/log', Buffer.alloc(32, 2))
    service.add({ kind: 'key', vkey: next.vkey })
    service.signers.unshift(next)
    await service.publish()
    expect((await verify()).code).toBe(0)
    service.signers.pop()
    await service.publish()
    expect((await verify()).code).toBe(0)
  })

  it('compares with keys from elsewhere', async () => {
    const [signer] = service.signers
    expect((await verify('--key', signer?.vkey ?? '')).code).toBe(0)
    journal = newJournal()
    const other = signerOf('site.example/log', Buffer.alloc(32, 3)).vkey
    expect(await verify('--key', other)).toMatchObject({ code: 1, kinds: ['signature_missing'] })
    expect(await verify('--key', 'nonsense')).toMatchObject({ code: 2 })
    expect(await verify('--key', service.witness.vkey)).toMatchObject({ code: 2 })
  })

  it('names one of each in the singular', async () => {
    const small = await LogService.start()
    onTestFinished(() => small.stop())
    small.begin()
    small.count(1, 500, '2026-11-19')
    await small.draw('2026-11-20', [1])
    await small.publish()
    const { stdout } = await runCommand(['verify', 'board', '--service', small.url, '--journal', newJournal()])
    expect(stdout).toContain('  yes  2 places, 30 past days and 1 draw are as in the log\n')
  })

  it('finds at once that a log lacks most entries of its checkpoint, however many', async () => {
    const size = Number.MAX_SAFE_INTEGER
    const text = checkpointText({ origin: service.origin, size, root: leafHash('another root') })
    service.note = joinNote(
      text,
      service.signers.map(signer => signer.sign(text)),
    )
    const wrong = { code: 1, kinds: ['bundle_wrong'] }
    expect(await verify()).toMatchObject(wrong)
    const forged = service.note
    await service.publish()
    expect((await verify()).code).toBe(0)
    service.note = forged
    expect(await verify()).toMatchObject(wrong)
  })

  it('raises no alarm if the boards change while it looks', async () => {
    let paid = 0
    // Each request finds more money, which its checkpoint covers a moment later.
    service.onRequest = async path => {
      if (!path.startsWith('/api/v1/boards/')) return
      if (path.includes('/all') || path.includes('/today')) {
        service.count(1 + (paid++ % 30), 700)
        if (paid === 3) service.show(12, false)
      }
    }
    const publishing = setInterval(() => void service.publish(), 50)
    const { code, said } = await verify('--wait', '12')
    clearInterval(publishing)
    expect(said).toContain('"agrees":true')
    expect(code).toBe(0)
    expect(paid).toBeGreaterThan(3)
  })
})

/** Every kind of disagreement: what causes it, and what is said. */
const KINDS: [string, () => void | Promise<void>, string | RegExp][] = [
  [
    'checkpoint_malformed',
    () => void service.overrides.set('/log/checkpoint', () => Buffer.from('nonsense\n')),
    /^This is not a signed note: /,
  ],
  [
    'signature_wrong',
    () => {
      const [text = ''] = service.note.split('\n\n')
      const forged = signerOf('site.example/log', Buffer.alloc(32, 1)).sign(`${text}\nmore\n`)
      service.note = `${text}\n\n${forged}`
    },
    'The signature of site.example/log does not fit the text.',
  ],
  [
    'signature_missing',
    async () => {
      await verify()
      service.signers = [signerOf('site.example/log', Buffer.alloc(32, 5))]
      await service.publish()
    },
    /^No key of the log that you trust signed its checkpoint, which is signed by site\.example\/log\+/,
  ],
  [
    'witness_missing',
    async () => {
      service.isCosigned = false
      await service.publish()
    },
    'The witness witness.example/w1 has not cosigned the latest checkpoint.',
  ],
  [
    'log_went_back',
    async () => {
      const before = service.note
      service.count(3, 100)
      await service.publish()
      await verify()
      service.note = before
    },
    /^The log has \d+ entries, and had \d+ before\.$/,
  ],
  [
    'origin_wrong',
    async () => {
      service.origin = 'other.example/log'
      await service.publish()
    },
    'The checkpoint is of the log other.example/log, but its entries are of the log site.example/log.',
  ],
  [
    'file_missing',
    () => void service.overrides.set('/log/tile/entries/000', () => undefined),
    'The log has no tile/entries/000, which its checkpoint covers.',
  ],
  [
    'tile_wrong',
    () => void service.overrides.set('/log/tile/0/000', right => changed(right, 77)),
    'The tile 0/0 of the log does not fit its entries.',
  ],
  [
    'bundle_wrong',
    () =>
      void service.overrides.set('/log/tile/entries/000', right => right && writeBundle(readBundle(right).slice(1))),
    'The bundle tile/entries/000 has 255 entries instead of 256.',
  ],
  [
    'root_wrong',
    () => {
      const size = service.entries.length
      const text = checkpointText({ origin: service.origin, size, root: leafHash('another root') })
      service.note = joinNote(
        text,
        service.signers.map(signer => signer.sign(text)),
      )
    },
    /^The \d+ entries of the log do not have the root that its checkpoint states\.$/,
  ],
  [
    'entry_wrong',
    async () => {
      service.add({ kind: 'counted', board: 'all', listing: 1, changeCents: 5, totalCents: 5, shown: true })
      await service.publish()
    },
    /^Entry \d+ of the log says that listing 1 has 5 cents on the board all, but it had \d+, and the change is 5\.$/,
  ],
  [
    'place_missing',
    () => change('/api/v1/boards/all', ({ entries }) => void entries.splice(3, 1)),
    /^The board of all time does not show listing \d+, which has \$\d+\.00 by the log\.$/,
  ],
  [
    'place_extra',
    () =>
      change(
        '/api/v1/boards/today',
        ({ entries }) =>
          void entries.push({ ...(entries[0] as Row), rank: entries.length + 1, id: 999, totalCents: 100 }),
      ),
    'The board of 2026-11-21 shows listing 999 with $1.00, which the log does not have.',
  ],
  [
    'place_wrong',
    () =>
      change(
        '/api/v1/boards/days/2026-11-19',
        ({ entries }) => void Object.assign(entries[0] ?? {}, { totalCents: 1101 }),
      ),
    /^The board of 2026-11-19 shows listing \d+ with \$11\.01, reached .*Z; by the log, it has \$11\.00, reached .*Z\.$/,
  ],
  [
    'rank_wrong',
    () =>
      change('/api/v1/boards/today', ({ entries }) => {
        const [first, second] = [entries[0] as Row, entries[1] as Row]
        entries.splice(0, 2, { ...second, rank: 1 }, { ...first, rank: 2 })
      }),
    /^The board of 2026-11-21 shows listing 2 at rank 1; by the log, it is 2\.$/,
  ],
  [
    'draw_missing',
    () => void service.overrides.set('/api/v1/draws/2026-11-20', () => undefined),
    'The service has no draw of 2026-11-20, on which the log has 3 listings drawn.',
  ],
  [
    'draw_extra',
    () => void service.draws.set('2026-11-18', { listings: [1], seed: '00', logSize: 3 }),
    'The service has a draw of 2026-11-18, which the log does not have.',
  ],
  [
    'draw_wrong',
    () => change('/api/v1/draws/2026-11-20', ({ drawn }) => void Object.assign(drawn[1] ?? {}, { id: 4 })),
    'The draw of 2026-11-20 shows the listings 7, 4, 11; by the log, 7, 3, 11 were drawn.',
  ],
  [
    'seed_wrong',
    () => change('/api/v1/draws/2026-11-20', draw => void Object.assign(draw, { seed: 'ab'.repeat(32) })),
    /^The seed of the draw of 2026-11-20 is not the root of the first 241 entries of the log\.$/,
  ],
]

/** What a site could try that chooses its seeds, or inserts entries. */
const TRICKS: [string, () => unknown, string | RegExp][] = [
  [
    'seed_wrong',
    async () => {
      const seed = (await treeRoot(100, service.readTile)).toString('hex')
      change('/api/v1/draws/2026-11-20', draw => void Object.assign(draw, { seed, logSize: 100 }))
    },
    'The seed of the draw of 2026-11-20 is of the first 100 entries of the log, which had 241 at midnight.',
  ],
  [
    'seed_wrong',
    () => change('/api/v1/draws/2026-11-20', draw => void Object.assign(draw, { seed: 'ab', logSize: null })),
    'The draw of 2026-11-20 names no size of the log, but the log is older than the draw.',
  ],
  [
    'entry_wrong',
    async () => {
      const time = '2026-10-01T00:00:00.000Z'
      const hidden = leafHash('').toString('base64')
      service.addText(entryText({ index: service.entries.length, time, kind: 'decided', private: hidden }))
      await service.publish()
    },
    /^Entry \d+ of the log has no notBefore, so it may have been inserted later\.$/,
  ],
]

const changed = (right: Buffer | undefined, at: number) =>
  right && Buffer.from(right.map((byte, index) => (index === at ? byte ^ 1 : byte)))

describe('a disagreement', () => {
  it.each([...KINDS, ...TRICKS])('%s is one sentence, and exit code 1', async (kind, cause, sentence) => {
    await cause()
    const more = kind === 'witness_missing' ? ['--witness', service.witness.vkey] : []
    const { code, kinds, sentences } = await verify(...more)
    expect({ code, kinds: [...new Set(kinds)] }).toEqual({ code: 1, kinds: [kind] })
    if (typeof sentence === 'string') expect(sentences[0]).toBe(sentence)
    else expect(sentences[0]).toMatch(sentence)
  })

  it('about an order is found while boards move', async () => {
    let paid = 0
    service.onRequest = async path => {
      if (!path.includes('/boards/all') || paid++ > 0) return
      service.count(1, 700)
      await service.publish()
    }
    change('/api/v1/boards/days/2026-11-19', ({ entries }) => void entries.reverse())
    const { code, kinds, sentences } = await verify('--wait', '3')
    expect({ code, kinds: [...new Set(kinds)] }).toEqual({ code: 1, kinds: ['rank_wrong'] })
    expect(sentences[0]).toMatch(
      /^The board of 2026-11-19 shows listing \d+ below listing \d+, which has less or had it later\.$/,
    )
  })

  it('about a listing that is shown twice is found while boards move', async () => {
    let paid = 0
    service.onRequest = async path => {
      if (!path.includes('/boards/all') || paid++ > 0) return
      service.count(1, 700)
      await service.publish()
    }
    change('/api/v1/boards/days/2026-11-19', ({ entries }) => void entries.splice(5, 0, entries[4] as Row))
    const { code, kinds, sentences } = await verify('--wait', '3')
    expect({ code, kinds: [...new Set(kinds)] }).toEqual({ code: 1, kinds: ['place_extra'] })
    expect(sentences[0]).toMatch(/^The board of 2026-11-19 shows listing \d+ twice\.$/)
  })

  it('about the history keeps both signed checkpoints, and stays', async () => {
    await verify()
    const known = service.note
    service.reset()
    service.begin()
    for (let listing = 1; listing <= 300; listing++) service.count(listing, 500)
    await service.publish()
    const sentence = /^The log was rewritten: its first \d+ entries are no longer those that its checkpoint covered\.$/
    const { code, kinds, sentences, said } = await verify()
    expect({ code, kinds }).toEqual({ code: 1, kinds: ['log_rewritten'] })
    expect(sentences[0]).toMatch(sentence)
    const [kept = '', other = ''] = JSON.parse(said).evidence
    expect(dirname(dirname(kept))).toBe(dirname(journal))
    expect(JSON.parse(readFileSync(kept, 'utf8')).log.note).toBe(known)
    expect(readFileSync(other, 'utf8')).toBe(service.note)
    expect((await verify()).kinds).toEqual(['log_rewritten'])
  })

  it('that the log admits is reported once', async () => {
    await verify()
    const lostSize = service.entries.length
    service.reset()
    service.begin()
    for (let listing = 1; listing <= 50; listing++) service.count(listing, 500)
    const lostRoot = leafHash('lost').toString('base64')
    service.origin = 'site.example/log/2'
    service.add({ kind: 'recovered', lostSize, lostRoot, origin: service.origin })
    for (let listing = 1; listing <= 300; listing++) service.count(listing, 500)
    await service.publish()
    const { code, kinds, sentences } = await verify()
    expect({ code, kinds }).toEqual({ code: 1, kinds: ['log_recovered'] })
    expect(sentences[0]).toBe(
      'The log site.example/log lost entries that it had published, and says so: it goes on as site.example/log/2. Later runs verify that one.',
    )
    expect(await verify()).toMatchObject({ code: 0, entries: { newEntries: 0 } })
  })

  it('with what was seen before is never missed because its file is damaged', async () => {
    await verify()
    const path = keptLogPath(journal, service.url)
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    const refused = async () => {
      const { code, said } = await verify()
      expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining('"kept_log_unusable"') })
      expect(said).toContain('Restore the file.')
    }
    const later = { ...kept, version: 2 }
    for (const damaged of ['', '{"version":1}', later, { ...kept, log: { ...kept.log, edge: undefined } }]) {
      writeFileSync(path, typeof damaged === 'string' ? damaged : JSON.stringify(damaged))
      await refused()
    }
    // It cannot be read, but replaced.
    rmSync(path)
    symlinkSync(path, path)
    await refused()
  })

  it('is not what a service without a log, or one that cannot be reached, gets', async () => {
    service.overrides.set('/log/checkpoint', () => undefined)
    expect(await verify()).toMatchObject({ code: 1, kinds: [], said: expect.stringContaining('"not_found"') })
    // A login page of a network says nothing about the log.
    service.type = 'text/html'
    service.overrides.set('/log/checkpoint', () => Buffer.from('<h1>Log in</h1>'))
    expect(await verify()).toMatchObject({ code: 3, kinds: [], said: expect.stringContaining('"invalid_response"') })
    await service.stop()
    expect((await verify()).code).toBe(3)
  })
})

describe('every byte', () => {
  it('of a small log is covered: a change of any is found', async () => {
    // Small, so that each byte of each file can be changed once.
    service.reset()
    service.begin()
    service.count(1, 500)
    service.count(2, 900)
    await service.draw('2026-11-20', [2])
    await service.publish()
    const size = service.entries.length
    const paths = ['checkpoint', tilePath('entries', 0, size), tilePath(0, 0, size)]
    const key = service.signers[0]?.vkey ?? ''
    const witness = service.witness.vkey
    const missed: string[] = []
    let tried = 0
    for (const path of paths) {
      const right = (await service.answer(`/log/${path}`)) ?? Buffer.alloc(0)
      for (const at of right.keys()) {
        // One bit, and another character: base64 and decimals have more than one way to be wrong. In `npm test`, they take turns.
        const ways = [1, 0x20]
        for (const bits of TRIES_ALL ? ways : [ways[at % 2] as number]) {
          const wrong = Buffer.from(right)
          wrong[at] = (right[at] as number) ^ bits
          const files = filesOf(service, path, wrong)
          const log = new FollowedLog(files, { keys: [key], witnesses: [witness] })
          const isFound = await log.advance().then(
            () => log.missingWitnesses().length > 0,
            error => error instanceof Disagreement,
          )
          tried++
          if (!isFound) missed.push(`${path} at ${at}`)
        }
      }
    }
    expect(tried).toBeGreaterThan(TRIES_ALL ? 3000 : 1500)
    expect(missed).toEqual([])
  })

  it('of the tiles above the first level is covered, too', async () => {
    service.reset()
    service.begin()
    for (let listing = 1; listing <= 400; listing++) service.count(listing, 500)
    await service.publish()
    const key = service.signers[0]?.vkey ?? ''
    for (const path of [tilePath(1, 0, 3), tilePath(0, 2, 256), tilePath(0, 3, 801 % 256)]) {
      const right = (await service.answer(`/log/${path}`)) ?? Buffer.alloc(0)
      expect(right.length).toBeGreaterThan(90)
      for (let at = 0; at < right.length; at += TRIES_ALL ? 97 : 389) {
        const wrong = Buffer.from(right)
        wrong[at] = (right[at] as number) ^ 1
        const log = new FollowedLog(filesOf(service, path, wrong), { keys: [key], witnesses: [] })
        await expect(log.advance()).rejects.toThrow('does not fit its entries')
      }
    }
  })
})

/** The files of a log, one of them changed, without the network: thousands of changes are tried. */
function filesOf(log: LogService, path: string, wrong: Buffer): LogFiles {
  return new LogFiles({
    async logFile(name) {
      const bytes = name === path ? wrong : await log.answer(`/log/${name}`)
      if (!bytes) throw new PlacardError({ kind: 'refused', code: 'not_found', error: '', whatNext: '' })
      return bytes
    },
  })
}
