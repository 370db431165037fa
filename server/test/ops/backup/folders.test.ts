// @module-tag slow
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyDatabase, emptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { startTestService } from '../../support/service.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { backUpOnce } from './back-up-once.ts'

describe('a folder of automatic backups', () => {
  let database: EmptyDatabase
  let to: string
  beforeAll(async () => {
    database = await migratedDatabase('sqlite')
    await (await startTestService({ database })).stop()
  })
  afterAll(() => database.remove())
  beforeEach(() => {
    to = mkdtempSync(join(tmpdir(), 'placard-folder-'))
  })
  afterEach(() => rmSync(to, { recursive: true, force: true }))

  it('is shared by two sites at once, and keeps what others call unfinished', async () => {
    const other = await migratedDatabase('sqlite')
    await (await startTestService({ database: other })).stop()
    const foreign = ['backup.unfinished', 'placard-00000000-unfinished']
    for (const name of foreign) {
      mkdirSync(join(to, name))
      writeFileSync(join(to, name, 'kept'), '')
    }
    const made = await Promise.all([database, other].map(({ env }) => backUpOnce({ ...env, BACKUP_TO: to })))
    await other.remove()
    expect(readdirSync(to).sort()).toEqual([...foreign, ...made.map(({ name }) => name)].sort())
    for (const name of foreign) expect(readdirSync(join(to, name))).toEqual(['kept'])
  })

  it('restores the newest backup, and keeps new ones, after a clock that was ahead was set back', async () => {
    const env = { ...database.env, BACKUP_TO: to, BACKUP_KEEP: '2' }
    const ahead = Date.parse('2035-01-01T00:00:00Z')
    const times = [ahead, ahead + 1000, ...['2026-11-20', '2026-11-21', '2026-11-22'].map(Date.parse)]
    const made = []
    for (const time of times) made.push((await backUpOnce(env, time)).name)
    expect(readdirSync(to).sort()).toEqual(made.slice(-2))
    const target = await emptyDatabase('sqlite')
    const key = { SERVICE_KEY: readKey() }
    expect((await operateHere({ ...target.env, ...key }, 'restore-backup', to)).output).toMatch(
      /a backup of 2026-11-22T00:00:00.000Z: /,
    )
    await target.remove()
  })

  it('is never made, because its disk may be missing, and must take writes', async context => {
    const missing = join(to, 'missing')
    const env = { ...database.env, BACKUP_TO: missing }
    const why = `BACKUP_TO ${missing} is not a folder: create it, or mount its disk`
    await expect(backUpOnce(env)).rejects.toThrow(why)
    expect((await operateHere(env, 'doctor')).output).toMatch(new RegExp(`^failed +backup +${why}$`, 'm'))
    writeFileSync(missing, '')
    await expect(backUpOnce(env)).rejects.toThrow(why)

    const disk = mountSmallDisk(1)
    if (!disk) return context.skip()
    disk.makeReadOnly()
    const readOnly = { ...env, BACKUP_TO: disk.folder }
    await expect(backUpOnce(readOnly)).rejects.toThrow(
      `BACKUP_TO ${disk.folder} cannot be written (EROFS): let the user of the service write there`,
    )
    expect((await operateHere(readOnly, 'doctor')).output).toMatch(/^failed +backup .*write there$/m)
    disk.remove()
  })

  it('gets an encrypted backup only when it is encrypted, also on another disk, and none when that is full', async context => {
    // Too small for the copy of an unencrypted one.
    const disk = mountSmallDisk(8)
    if (!disk) return context.skip()
    try {
      const recipient = await identityToRecipient(await generateX25519Identity())
      const env = { ...database.env, BACKUP_TO: disk.folder, BACKUP_RECIPIENT: recipient }
      const { name } = await backUpOnce(env)
      expect(readdirSync(join(disk.folder, name)).sort()).toEqual(
        ['README.txt', 'manifest.json.age', 'placard.db.age', 'sandbox.db.age', 'service.key.age'].sort(),
      )
      disk.fill()
      await expect(backUpOnce(env)).rejects.toThrow(/^ENOSPC.*\. Make room on that disk/)
      disk.empty()
      expect(readdirSync(disk.folder)).toEqual([name])
      expect(readdirSync(database.dataDir).filter(each => each.includes('unfinished'))).toEqual([])
    } finally {
      disk.remove()
    }
  })

  const readKey = () => readFileSync(join(database.dataDir, 'service.key'), 'utf8').trim()
})
