import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signerOf } from '@placard/contract/log'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { newCredentials, publish, publishBody } from '../../support/service.ts'
import { createLoggedSite, hex, type LoggedSite } from './logged-site.ts'

describe.each(SQLITE_FIRST)('the checkpoints of the log, on %s', engine => {
  let site: LoggedSite
  beforeEach(async () => {
    site = await createLoggedSite(engine)
  })
  afterEach(() => site.remove())

  it('follow each entry, and never go back or apart with two instances', async () => {
    const { vkey, origin } = site
    const one = await site.start()
    const other = await site.start({ PORT: String(await freePort()) })
    const seen = new Map<number, string>()
    for (let nth = 1; nth <= 5; nth++) {
      const before = await site.checkpoint(other)
      const found = await site.grow(one, nth)
      expect(found.by).toEqual([vkey])
      expect(before.size).toBeLessThan(found.size)
      seen.set(found.size, found.root)
    }
    expect((await site.entries())[0]).toMatchObject({ kind: 'began', origin, vkey })
    for (const [size, root] of seen) expect(root).toBe(await site.rootAt(size))
    expect(await site.checkpoint(other)).toEqual(await site.checkpoint(one))
    // The other one takes over.
    await site.stop(one)
    const last = await site.grow(other)
    expect(last).toMatchObject({ origin, by: [vkey], root: await site.rootAt(last.size) })
  })

  it('are signed by all keys, and an entry announces each new one before it signs', async () => {
    const first = await site.start()
    const { size } = await site.grow(first)
    await site.stop(first)
    const newer = randomBytes(32)
    const vkeys = [signerOf(site.origin, newer).vkey, site.vkey]
    const both = await site.start({ SIGNING_KEY: `${hex(newer)},${site.env.SIGNING_KEY}` })
    await expect.poll(async () => (await site.checkpoint(both, vkeys)).by).toEqual(vkeys)
    const announced = (await site.entries()).filter(({ kind }) => kind === 'key')
    expect(announced).toMatchObject([{ index: size, vkey: vkeys[0] }])
    expect((await site.checkpoint(both)).size).toBe(size + 1)
    await site.stop(both)
    const newest = await site.start({ SIGNING_KEY: hex(newer) })
    expect((await site.grow(newest, 2, vkeys)).by).toEqual([vkeys[0]])
    expect((await site.entries()).filter(({ kind }) => kind === 'key')).toHaveLength(1)
    const { output } = await site.operate(['log', 'show'], { SIGNING_KEY: hex(newer) })
    expect(output).toContain(`log         ${site.origin}\n`)
    expect(output).toContain(`key         ${vkeys[0]}\n`)
    expect(output).not.toContain(vkeys[1])
  })

  it('stop if the database goes back under a running service, until the operator continues under a new name', async () => {
    const service = await site.start({ METRICS_PORT: '0' })
    const metrics = async () => (await fetch(service.metricsUrl)).text()
    expect(await metrics()).toContain('placard_log_broken 0\n')
    const early = await site.grow(service)
    const lost = await site.grow(service)
    await site.goBack(early)
    await expect.poll(() => site.warnings()).toEqual(['log_broken'])
    // It has as many entries again, but they are others.
    await site.happen(2)
    await site.happen(3)
    await expect.poll(async () => (await site.entries()).length).toBe(lost.size + 1)
    expect((await site.checkpoint(service)).note).toBe(early.note)

    const explained = await site.operate(['log', 'recover'])
    expect(explained.code).toBe(1)
    expect(explained.output).toMatch(
      /^Signing has stopped: the log .* but this process has a signed checkpoint of size \d+\./,
    )
    expect((await site.operate(['log', 'show'])).output).toMatch(/^stopped /m)
    expect(await metrics()).toContain('placard_log_broken 1\n')
    const doctor = JSON.parse((await site.operate(['doctor', '--json'])).output)
    const says = expect.stringContaining('log recover')
    expect(doctor.findings).toContainEqual({ about: 'log', state: 'failed', says })

    const name = `${site.origin}/2`
    const { vkey } = signerOf(name, site.key)
    const recovered = await site.operate(['log', 'recover', '--new-log'])
    expect(recovered).toMatchObject({ code: 0, output: expect.stringContaining(name) })
    await expect.poll(async () => (await site.checkpoint(service, [vkey])).by).toEqual([vkey])
    const found = await site.grow(service, 4, [vkey])
    expect(found).toMatchObject({ origin: name, root: await site.rootAt(found.size) })
    const entries = await site.entries()
    const lostAs = { lostSize: lost.size, lostRoot: lost.root, origin: name }
    expect(entries.filter(({ kind }) => kind === 'recovered')).toMatchObject([lostAs])
    expect(entries.filter(({ kind }) => kind === 'key')).toMatchObject([{ vkey }])
    expect((await site.operate(['log', 'recover'])).code).toBe(0)
    // A restart finds nothing wrong.
    await site.stop(service)
    expect(await site.grow(await site.start(), 5, [vkey])).toMatchObject({ origin: name, by: [vkey] })
  })

  it('continue after a crash between the file and the database', async () => {
    const service = await site.start()
    const { origin, size, root, note } = await site.grow(service)
    const last = await site.grow(service)
    await site.stop(service)
    await site.store.db.updateTable('log_checkpoint').set({ origin, size, root, note }).execute()
    const again = await site.start()
    await expect.poll(async () => (await site.checkpoint(again)).note).toBe(last.note)
    await site.grow(again)
    expect(await site.warnings()).toEqual([])
  })

  it('begin under the name and with the key in the first entry, if a crash comes before them and settings change', async () => {
    const service = await site.start()
    const { size } = await site.grow(service)
    await site.stop(service)
    // As after a kill between the first entries and their signature.
    await site.store.db.deleteFrom('log_checkpoint').execute()
    rmSync(join(site.dataDir, 'log-checkpoint'))
    const newer = randomBytes(32)
    const vkeys = [signerOf(site.origin, newer).vkey, site.vkey]
    const again = await site.start({
      BASE_URL: 'http://localhost:8080',
      SIGNING_KEY: `${hex(newer)},${site.env.SIGNING_KEY}`,
    })
    await expect.poll(() => site.checkpoint(again, vkeys)).toMatchObject({ origin: site.origin, by: vkeys })
    expect((await site.entries()).filter(({ kind }) => kind === 'key')).toMatchObject([{ index: size, vkey: vkeys[0] }])
  })

  it('miss nothing if an operator decides while no instance runs', async ({ onTestFinished }) => {
    const service = await site.start()
    await publish(service, newCredentials(), publishBody('http://one.com/'))
    await site.grow(service)
    await site.stop(service)
    const { code } = await site.operate(['hide', 'one-com', '--reason', 'not so', '--as', 'anna'])
    const later = Date.now() + 10 * 60_000
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
    onTestFinished(() => clock.mockRestore())
    expect([code, await site.operate(['audit', 'verify'])]).toMatchObject([0, { code: 0 }])
  })

  it('stop after a restart, if DATA_DIR has a later one than the restored database', async () => {
    const service = await site.start()
    const early = await site.grow(service)
    await site.grow(service)
    await site.stop(service)
    await site.goBack(early)
    await site.happen(2)
    const restored = await site.start()
    await expect.poll(() => site.warnings()).toEqual(['log_broken'])
    expect((await site.checkpoint(restored)).note).toBe(early.note)
    expect((await site.operate(['log', 'recover'])).output).toContain('the file log-checkpoint in DATA_DIR')
  })

  it('are compared with the one in DATA_DIR by "log recover" before a restored site starts', async () => {
    const service = await site.start()
    const early = await site.grow(service)
    const lost = await site.grow(service)
    await site.stop(service)
    await site.goBack(early)
    const explained = await site.operate(['log', 'recover'])
    expect(explained).toMatchObject({ code: 1, output: expect.stringContaining('the file log-checkpoint in DATA_DIR') })

    expect((await site.operate(['log', 'recover', '--new-log'])).code).toBe(0)
    const name = `${site.origin}/2`
    const { vkey } = signerOf(name, site.key)
    const restored = await site.start()
    await expect.poll(async () => (await site.checkpoint(restored, [vkey])).by).toEqual([vkey])
    const recovered = (await site.entries()).filter(({ kind }) => kind === 'recovered')
    expect(recovered).toMatchObject([{ lostSize: lost.size, lostRoot: lost.root, origin: name }])
  })

  it('are not compared with a damaged file, and the error says what to do with it', async () => {
    await site.stop(await site.start())
    writeFileSync(join(site.dataDir, 'log-checkpoint'), 'damaged\n')
    const { code, output } = await site.operate(['log', 'recover'])
    expect(code).toBe(1)
    expect(output).toMatch(/log-checkpoint does not contain a checkpoint: restore it from a copy, or delete it\./)
  })
})
