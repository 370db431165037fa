import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isS3, type S3Address, type S3Credentials, s3Address } from '../../platform/config/storage.ts'
import { Bucket } from '../../platform/lib/object-storage.ts'
import { AGE } from './age.ts'
import { describeFile, MANIFEST, syncPath } from './files.ts'

/**
 * A place for backups, each below its own name. The manifest is stored last and deleted first, so a backup without one
 * is incomplete.
 */
export interface BackupPlace {
  /** The names of all backups, with those of their files. Folders and objects of others have names, too. */
  list(start: string): Promise<Map<string, string[]>>
  /** Stores a folder that is on the place's own disk, if it has one, and checks what was stored. */
  store(name: string, folder: string): Promise<void>
  /** Copies a backup's files to an existing folder. */
  fetch(name: string, files: readonly string[], folder: string): Promise<void>
  remove(name: string, files: readonly string[]): Promise<void>
  /** The address of one backup, for `restore-backup`. */
  addressOf(name: string): string
}

const isManifest = (file: string) => file === MANIFEST || file === MANIFEST + AGE

/** Whether a backup with these files is complete. */
export const isComplete = (files: readonly string[]): boolean => files.some(isManifest)

/** Opens a place. @throws Error in one line if it is object storage, and there is no access to it */
export function openPlace(to: string | S3Address, credentials: S3Credentials | undefined): BackupPlace {
  const address = typeof to === 'string' && isS3(to) ? s3Address(to) : to
  if (typeof address === 'string') return folderPlace(resolve(address))
  if (!credentials) throw new Error(`AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set to use ${address.text}`)
  return bucketPlace(address, new Bucket({ address, credentials }))
}

const folderPlace = (root: string): BackupPlace => ({
  async list(start) {
    if (!existsSync(root)) return new Map()
    const entries = readdirSync(root, { withFileTypes: true })
    const folders = entries.filter(entry => entry.isDirectory() && entry.name.startsWith(start))
    return new Map(folders.map(({ name }) => [name, readdirSync(join(root, name))]))
  },
  async store(name, folder) {
    syncPath(folder)
    renameSync(folder, join(root, name))
    syncPath(root)
  },
  async fetch(name, files, folder) {
    for (const file of files) await cp(join(root, name, file), join(folder, file))
  },
  async remove(name, files) {
    for (const file of files.filter(isManifest)) rmSync(join(root, name, file))
    rmSync(join(root, name), { recursive: true, force: true })
  },
  addressOf: name => join(root, name),
})

const bucketPlace = (address: S3Address, bucket: Bucket): BackupPlace => ({
  async list(start) {
    const found = new Map<string, string[]>()
    for (const { name: object } of await bucket.list(start)) {
      const [name = '', file, ...more] = object.split('/')
      if (file && more.length === 0) found.set(name, [...(found.get(name) ?? []), file])
    }
    return found
  },
  async store(name, folder) {
    const files = readdirSync(folder).sort((one, other) => Number(isManifest(one)) - Number(isManifest(other)))
    for (const file of files) {
      const { sha256 } = await describeFile(join(folder, file))
      await bucket.putFile(`${name}/${file}`, join(folder, file))
      if ((await bucket.digest(`${name}/${file}`)) !== sha256) {
        throw new Error(`${address.text} stored ${name}/${file} with other content: do not trust this storage`)
      }
    }
    rmSync(folder, { recursive: true })
  },
  async fetch(name, files, folder) {
    mkdirSync(folder, { recursive: true })
    for (const file of files) {
      const stream = await bucket.get(`${name}/${file}`)
      if (!stream) throw new Error(`${name}/${file} is gone from ${address.text}: use another backup`)
      await pipeline(stream, createWriteStream(join(folder, file), { mode: 0o600 }))
    }
  },
  async remove(name, files) {
    const first = [...files].sort((one, other) => Number(isManifest(other)) - Number(isManifest(one)))
    for (const file of first) await bucket.delete(`${name}/${file}`)
  },
  addressOf(name) {
    const [place = '', query] = address.text.split('?')
    return `${place.replace(/\/$/, '')}/${name}${query === undefined ? '' : `?${query}`}`
  },
})
