import {
  accessSync,
  constants,
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isS3, type S3Address, type S3Credentials, s3Address } from '../../platform/config/storage.ts'
import { syncPath } from '../../platform/db/data-folder.ts'
import { Bucket } from '../../platform/lib/object-storage.ts'
import { AGE } from './age.ts'
import { describeFile, FILES, MANIFEST } from './files.ts'

/**
 * A place for backups, each below its own name. The manifest is stored last and deleted first, so a backup without one
 * is incomplete.
 */
export interface BackupPlace {
  /** @throws Error in one line if it is a folder in which no backup can be stored */
  requireWritable(): void
  /** The names of all backups, with those of their files. Folders and objects of others have names, too. */
  list(start: string): Promise<Map<string, string[]>>
  /** Stores a folder, which the caller then deletes. What object storage stored is checked. */
  store(name: string, folder: string): Promise<void>
  /** Copies a backup's files to an existing folder. */
  fetch(name: string, files: readonly string[], folder: string): Promise<void>
  remove(name: string, files: readonly string[]): Promise<void>
  /** The address of one backup, for `restore-backup`. */
  addressOf(name: string): string
}

const isManifest = (file: string) => file === MANIFEST || file === MANIFEST + AGE

const manifestLast = (files: readonly string[]) =>
  [...files].sort((one, other) => Number(isManifest(one)) - Number(isManifest(other)))

/** Whether a backup with these files is complete. */
export const isComplete = (files: readonly string[]): boolean => files.some(isManifest)

/** Whether a file is needed to restore the backup that it is in. */
export const isNeeded = (file: string): boolean => [MANIFEST, ...FILES].some(name => [name, name + AGE].includes(file))

/**
 * Opens a place.
 *
 * @param answerTimeoutMs how long object storage may take to answer a request; the default leaves time for uploads
 * @throws Error in one line if it is object storage, and there is no access to it
 */
export function openPlace(
  to: string | S3Address,
  credentials: S3Credentials | undefined,
  answerTimeoutMs?: number,
): BackupPlace {
  const address = typeof to === 'string' && isS3(to) ? s3Address(to) : to
  if (typeof address === 'string') return folderPlace(resolve(address))
  if (!credentials) throw new Error(`AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set to use ${address.text}`)
  return bucketPlace(address, new Bucket({ address, credentials }, answerTimeoutMs))
}

const folderPlace = (root: string): BackupPlace => ({
  requireWritable() {
    // Never created here: below the mount point of a missing disk, backups would fill another one.
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`BACKUP_TO ${root} is not a folder: create it, or mount its disk`)
    }
    try {
      accessSync(root, constants.W_OK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new Error(`BACKUP_TO ${root} cannot be written (${code}): let the user of the service write there`, {
        cause: error,
      })
    }
  },
  async list(start) {
    if (!existsSync(root)) return new Map()
    const entries = readdirSync(root, { withFileTypes: true })
    const folders = entries.filter(entry => entry.isDirectory() && entry.name.startsWith(start))
    return new Map(folders.map(({ name }) => [name, filesIn(join(root, name))]))
  },
  async store(name, folder) {
    const to = join(root, name)
    syncPath(folder)
    try {
      renameSync(folder, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      copyToOtherDisk(folder, to)
    }
    syncPath(root)
  },
  async fetch(name, files, folder) {
    for (const file of files) await copyFile(join(root, name, file), join(folder, file))
  },
  async remove(name, files) {
    for (const file of files.filter(isManifest)) rmSync(join(root, name, file))
    rmSync(join(root, name), { recursive: true, force: true })
  },
  addressOf: name => join(root, name),
})

/** A folder of others may be unreadable. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function copyToOtherDisk(folder: string, to: string): void {
  try {
    mkdirSync(to, { mode: 0o700 })
    for (const file of manifestLast(readdirSync(folder))) {
      copyFileSync(join(folder, file), join(to, file))
      syncPath(join(to, file))
    }
    syncPath(to)
  } catch (error) {
    rmSync(to, { recursive: true, force: true })
    throw error
  }
}

const bucketPlace = (address: S3Address, bucket: Bucket): BackupPlace => ({
  requireWritable() {},
  async list(start) {
    const found = new Map<string, string[]>()
    for (const { name: object } of await bucket.list(start)) {
      const [name = '', file, ...more] = object.split('/')
      if (file && more.length === 0) found.set(name, [...(found.get(name) ?? []), file])
    }
    return found
  },
  async store(name, folder) {
    for (const file of manifestLast(readdirSync(folder))) {
      const { sha256 } = await describeFile(join(folder, file))
      await bucket.putFile(`${name}/${file}`, join(folder, file))
      if ((await bucket.digest(`${name}/${file}`)) !== sha256) {
        throw new Error(`${address.text} stored ${name}/${file} with other content: do not trust this storage`)
      }
    }
  },
  async fetch(name, files, folder) {
    for (const file of files) {
      const stream = await bucket.get(`${name}/${file}`)
      if (!stream) throw new Error(`${name}/${file} is gone from ${address.text}: use another backup`)
      await pipeline(stream, createWriteStream(join(folder, file), { mode: 0o600 }))
    }
  },
  async remove(name, files) {
    for (const file of manifestLast(files).reverse()) await bucket.delete(`${name}/${file}`)
  },
  addressOf(name) {
    const [place = '', query] = address.text.split('?')
    return `${place.replace(/\/$/, '')}/${name}${query === undefined ? '' : `?${query}`}`
  },
})
