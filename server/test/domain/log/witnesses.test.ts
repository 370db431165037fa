import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { checkpointText, cosignerOf, joinNote, openNote, signerOf, splitNote } from '@placard/contract/log'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { ENGINES, SAME_SQL, SQLITE_FIRST } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { NOON } from '../../support/service.ts'
import { createLoggedSite, type LoggedSite } from './logged-site.ts'

const seed = randomBytes(32)
const cosigner = (name: string) => cosignerOf(`${name}.example`, seed)
const NOW = NOON / 1000

/** How each stand-in answers to a checkpoint's text. */
const ANSWERS: Record<string, (response: ServerResponse, text: string, body: string) => void> = {
  // It cosigned the first entry for a process that has ended.
  good: (response, text, body) =>
    body.startsWith('old 0\n') ? response.writeHead(409).end('1\n') : response.end(cosigner('good').cosign(text, NOW)),
  slow: () => {},
  wrong: (response, text) => response.end(cosigner('wrong').cosign(text.replace('log', 'other'), NOW)),
  future: (response, text) => response.end(cosigner('future').cosign(text, NOW + 365 * 86_400)),
  old: response => response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('0\n'),
  ahead: response => response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('999999\n'),
  huge: (response, text) => {
    response.write(cosigner('huge').cosign(text, NOW))
    response.end('\n'.repeat(10_000_000))
  },
}

describe.each(SAME_SQL)('witnesses of all kinds, on %s', engine => {
  let site: LoggedSite
  let server: Server
  const heard: string[] = []
  beforeAll(async () => {
    site = await createLoggedSite(engine)
    server = createServer(async (request, response) => {
      const [, name = '', call] = (request.url ?? '').split('/')
      const body = await text(request)
      heard.push(name)
      if (call === 'add-checkpoint')
        return ANSWERS[name]?.(response, splitNote(body.slice(body.indexOf('\n\n') + 2)).text, body)
      // A liar can show only checkpoints that this log did not sign.
      const shown = checkpointText({ origin: site.origin, size: 999_999, root: randomBytes(32) })
      response.end(joinNote(shown, [signerOf(site.origin, randomBytes(32)).sign(shown)]))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await site.remove()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })

  it('cost nothing but their cosignatures', async () => {
    const { port } = server.address() as AddressInfo
    const witnesses = Object.keys(ANSWERS).map(name => `${cosigner(name).vkey} http://127.0.0.1:${port}/${name}`)
    witnesses.push(`${cosigner('dead').vkey} http://127.0.0.1:${await freePort()}`)
    const service = await site.start({ WITNESSES: witnesses.join(', ') })
    const good = [site.vkey, cosigner('good').vkey]
    for (let nth = 1; nth <= 3; nth++) {
      const { size } = await site.grow(service, nth)
      await expect.poll(async () => (await site.checkpoint(service, good)).by).toEqual(good)
      expect((await site.checkpoint(service)).size).toBe(size)
    }
    await expect.poll(() => new Set(heard).size).toBe(Object.keys(ANSWERS).length)
    const { note, size } = await site.grow(service, 4)
    expect(size).toBe((await site.entries()).length)
    await expect.poll(async () => (await site.checkpoint(service, good)).by).toEqual(good)
    expect(splitNote((await site.checkpoint(service)).note).lines).toHaveLength(2)
    expect(openNote(note, good).text).toBe(splitNote(note).text)
    expect(await site.warnings()).toEqual([])
    const { output } = await site.operate(['log', 'show'], { WITNESSES: witnesses.join(', ') })
    expect(output).toContain('good.example: cosigned it at 2026-11-21T12:00:00.000Z')
    expect(output).toContain('slow.example: has not cosigned this checkpoint')
  })
})

describe.each(ENGINES)('witnesses that answer at once, on %s', engine => {
  it('all have their cosignatures in the checkpoint', async () => {
    const site = await createLoggedSite(engine)
    const cosigners = Array.from({ length: 8 }, (_, nth) => cosigner(`together-${nth}`))
    // Each answer waits until every witness was asked.
    const waiting: (() => void)[] = []
    const server = createServer(async (request, response) => {
      const body = await text(request)
      // None has seen this log.
      if (request.method === 'GET') return response.writeHead(404).end()
      const nth = Number(request.url?.split('/')[1])
      const note = splitNote(body.slice(body.indexOf('\n\n') + 2))
      waiting.push(() => response.end(cosigners[nth]?.cosign(note.text, NOW)))
      if (waiting.length === cosigners.length) for (const answer of waiting.splice(0)) answer()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const vkeys = cosigners.map(({ vkey }) => vkey)
      const settings = vkeys.map((vkey, nth) => `${vkey} http://127.0.0.1:${port}/${nth}`).join(', ')
      const service = await site.start({ WITNESSES: settings })
      await site.happen()
      await expect.poll(async () => (await site.checkpoint(service, vkeys)).by.sort()).toEqual(vkeys.sort())
    } finally {
      await site.remove()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  })
})

describe.each(SQLITE_FIRST)('two sites that witness each other, on %s', engine => {
  const sites: LoggedSite[] = []
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.remove()
  })

  it('cosign each other, and one notices what the other lost', async () => {
    const [one, other] = [await createLoggedSite(engine), await createLoggedSite(engine)]
    sites.push(one, other)
    const witnessOf = ({ key, url }: LoggedSite) =>
      cosignerOf(`${new URL(url).host}/witness`, new Secret(key).derive('placard witness key').reveal()).vkey
    const settings = (peer: LoggedSite) => ({
      WITNESSES: `${witnessOf(peer)} ${peer.url}/witness`,
      WITNESS_FOR: peer.vkey,
    })
    const service = await one.start(settings(other))
    const peer = await other.start(settings(one))
    const [byOther, byOne] = [
      [one.vkey, witnessOf(other)],
      [other.vkey, witnessOf(one)],
    ]
    await one.happen()
    await other.happen()
    await expect.poll(async () => (await one.checkpoint(service, byOther)).by).toEqual(byOther)
    await expect.poll(async () => (await other.checkpoint(peer, byOne)).by).toEqual(byOne)
    const early = await one.checkpoint(service, byOther)
    for (let nth = 1; nth <= 3; nth++) await one.grow(service, nth)
    await expect.poll(async () => (await one.checkpoint(service, byOther)).by).toEqual(byOther)
    expect((await one.operate(['log', 'show'], settings(other))).output).toContain(`cosigns by  ${witnessOf(one)}\n`)

    // A backup on another machine: neither the database nor DATA_DIR knows the last checkpoint.
    await one.stop(service)
    await one.goBack(early)
    rmSync(join(one.dataDir, 'log-checkpoint'))
    await one.happen(9)
    const restored = await one.start(settings(other))
    await expect.poll(() => one.warnings()).toEqual(['log_broken'])
    expect((await one.checkpoint(restored)).note).toBe(early.note)
    expect((await one.operate(['log', 'recover'])).output).toContain(`the witness ${new URL(other.url).host}/witness`)

    // Under its new name, it is another log, which its witness has to know.
    await one.operate(['log', 'recover', '--new-log'])
    const name = `${one.origin}/2`
    const next = signerOf(name, one.key).vkey
    await expect.poll(async () => (await one.checkpoint(restored, [next])).by).toEqual([next])
    await other.stop(peer)
    await other.start({ ...settings(one), WITNESS_FOR: `${one.vkey}, ${next}` })
    await one.stop(restored)
    const again = await one.start(settings(other))
    const both = [next, witnessOf(other)]
    await expect.poll(async () => (await one.checkpoint(again, both)).by).toEqual(both)
  })
})
