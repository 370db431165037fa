import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Header } from './format.ts'

/** Names in a backup's folder. */
export const MANIFEST = 'manifest.json'
export const EXPORT = 'placard.jsonl.zst'
export const DATABASE = 'placard.db'
export const SANDBOX = 'sandbox.db'
export const KEY = 'service.key'

/** What a backup is, in its folder. */
export interface Manifest extends Header {
  placard: 'backup'
  /** By name. */
  files: Record<string, { bytes: number; sha256: string }>
}

/** @throws Error in one line if the folder holds no backup, or one that was not finished */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST)
  if (!existsSync(file)) {
    throw new Error(`${folder} is no backup: it has no ${MANIFEST}, which a backup gets at its end`)
  }
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    if (manifest.placard === 'backup') return manifest
  } catch {
    // Told below.
  }
  throw new Error(`${file} is damaged: use another backup`)
}

/** Size and SHA-256 of a file. */
export async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
    }
  })
  return { bytes, sha256: hash.digest('hex') }
}

/** @throws Error in one line if a file is missing, or is not what was backed up */
export async function checkFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const [name, { bytes, sha256 }] of Object.entries(files)) {
    const path = join(folder, name)
    if (!existsSync(path)) throw new Error(`${path} is missing: use another backup`)
    const found = await describeFile(path)
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new Error(`${path} was changed or damaged: use another backup`)
    }
  }
}
