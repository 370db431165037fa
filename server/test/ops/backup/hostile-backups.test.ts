// @module-tag slow
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Env } from '../../../src/platform/config/settings.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { type S3Server, startS3 } from '../../support/s3.ts'
import { startTestService } from '../../support/service.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { backUpOnce } from './back-up-once.ts'

describe('a backup that someone else has changed', () => {
  let database: EmptyDatabase
  let folder: string
  /** An encrypted backup and one that is not, as they were made. */
  let encrypted: string
  let plain: string
  const made = mkdtempSync(join(tmpdir(), 'placard-hostile-'))
  const identity = join(made, 'identity.txt')
  beforeAll(async () => {
    database = await migratedDatabase('sqlite')
    await (await startTestService({ database })).stop()
    const secret = await generateX25519Identity()
    writeFileSync(identity, secret)
    const backUp = async (name: string, more: Env) => {
      const to = join(made, name)
      mkdirSync(to)
      return join(to, (await backUpOnce({ ...database.env, ...more, BACKUP_TO: to })).name)
    }
    plain = await backUp('plain', {})
    encrypted = await backUp('encrypted', { BACKUP_RECIPIENT: await identityToRecipient(secret) })
  })
  afterAll(async () => {
    await database.remove()
    rmSync(made, { recursive: true })
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'placard-hostile-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const key = () => readFileSync(join(database.dataDir, 'service.key'), 'utf8').trim()
  const restore = (...words: string[]) =>
    operateHere({ DATA_DIR: join(folder, 'restored'), SERVICE_KEY: key() }, 'restore-backup', ...words)
  const copyOf = (backup: string) => {
    cpSync(backup, join(folder, 'backup'), { recursive: true })
    return join(folder, 'backup')
  }

  it.each([
    ['a file without a description', { files: { 'placard.db': null } }],
    ['tables that are none', { tables: [null, 'listing'] }],
    ['keys that are none', { keys: [1, null] }],
    ['a schema that leads elsewhere', { schema: '../0031' }],
    ['a time that writes to the terminal', { at: '\u001b[2J' }],
    ['a version that writes to the terminal', { version: '\u001b[2J', schema: '9999' }],
  ])('has a manifest with %s, and is refused before anything is restored', async (_, change) => {
    const backup = copyOf(plain)
    const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
    writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, ...change }))
    expect(await restore(backup)).toEqual({
      code: 1,
      output: `placard: ${backup}/manifest.json is damaged: use another backup\n`,
    })
    expect(await readdir(folder)).toEqual(['backup'])
  })

  it.each([
    [
      'is cut off',
      (backup: string) => truncateSync(join(backup, 'placard.db.age'), 5000),
      'placard.db.age is damaged: use another backup',
    ],
    [
      'has a link to another file, which is never shown',
      (backup: string) => {
        rmSync(join(backup, 'service.key.age'))
        symlinkSync('/etc/passwd', join(backup, 'service.key.age'))
      },
      'service.key.age is damaged: use another backup',
    ],
    [
      'has a file in the place of another',
      (backup: string) => cpSync(join(backup, 'service.key.age'), join(backup, 'placard.db.age')),
      'BACKUP/placard.db was changed or damaged: use another backup',
    ],
  ])('%s, and is refused in one line', async (_, change, says) => {
    const backup = copyOf(encrypted)
    change(backup)
    expect(await restore(backup, '--identity', identity)).toEqual({
      code: 1,
      output: `placard: ${says.replace('BACKUP', backup)}\n`,
    })
    expect(await readdir(join(folder, 'restored'))).toEqual([])
  })

  it('is for another identity, or the identity is no file', async () => {
    const other = join(folder, 'other.txt')
    writeFileSync(other, await generateX25519Identity())
    expect((await restore(encrypted, '--identity', other)).output).toBe(
      `placard: manifest.json.age is encrypted for another identity than ${other}: use the right one\n`,
    )
    expect((await restore(encrypted, '--identity', `${other}x`)).output).toBe(
      `placard: the identity ${other}x cannot be read (ENOENT): name the file that age-keygen wrote\n`,
    )
    for (const none of ['# created: today\n', await identityToRecipient(await generateX25519Identity())]) {
      writeFileSync(other, none)
      expect((await restore(encrypted, '--identity', other)).output).toBe(
        `placard: ${other} holds no identity of age: it must have a line AGE-SECRET-KEY-1…, as age-keygen writes\n`,
      )
    }
    // Root can read every file.
    if (process.getuid?.() === 0) return
    chmodSync(other, 0)
    expect((await restore(encrypted, '--identity', other)).output).toBe(
      `placard: the identity ${other} cannot be read (EACCES): give it as standard input: --identity - < ${other}\n`,
    )
  })

  it('has a manifest that cannot be read, which need not be damaged', async () => {
    const backup = copyOf(plain)
    rmSync(join(backup, 'manifest.json'))
    mkdirSync(join(backup, 'manifest.json'))
    expect((await restore(backup)).output).toMatch(/manifest.json cannot be read: EISDIR/)
  })

  it('is not encrypted, although an identity is given', async () => {
    for (const from of [plain, dirname(plain)]) {
      expect(await restore(from, '--identity', identity)).toEqual({
        code: 1,
        output: `placard: ${basename(plain)} is not encrypted: leave out --identity\n`,
      })
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('has more in it, of which nothing is copied', async () => {
    const backup = copyOf(encrypted)
    mkdirSync(join(backup, 'folder'))
    symlinkSync('/dev/zero', join(backup, 'endless.age'))
    expect((await restore(backup, '--identity', identity)).output).toMatch(/^Restored from/)
    expect((await readdir(join(folder, 'restored'))).sort()).toEqual(['placard.db', 'sandbox.db'])
  })

  it('is in object storage, and has more in it, or is larger than the disk', async context => {
    const s3: S3Server = await startS3()
    const fetched: string[] = []
    s3.before = ({ method, url = '' }) => method === 'GET' && fetched.push(url.split(/[/?]/).at(-1) ?? '')
    const env = { ...s3.env, BACKUP_TO: s3.address('sites'), SERVICE_KEY: key() }
    await backUpOnce({ ...database.env, ...env })
    const disk = mountSmallDisk(1)
    try {
      const restored = { ...env, DATA_DIR: join(folder, 'restored') }
      expect((await operateHere(database.env, 'restore-backup', env.BACKUP_TO)).output).toMatch(/is not empty/)
      fetched.splice(0)
      expect((await operateHere(restored, 'restore-backup', env.BACKUP_TO)).output).toMatch(/^Restored from/)
      expect(fetched.filter(name => name !== '')).not.toContain('README.txt')
      if (!disk) return context.skip()
      disk.fill()
      const full = { ...env, DATA_DIR: disk.folder }
      expect((await operateHere(full, 'restore-backup', env.BACKUP_TO)).output).toMatch(/^placard: ENOSPC.*\n$/)
      disk.empty()
      expect(await readdir(disk.folder)).toEqual([])
    } finally {
      disk?.remove()
      await s3.close()
    }
  })
})
