import { rename, writeFile } from 'node:fs/promises'

/** Replaces a private file atomically: after a full disk or a crash, the previous file is unchanged. */
export async function replaceFile(path: string, content: string | Iterable<string>): Promise<void> {
  const next = `${path}.${process.pid}`
  await writeFile(next, content, { mode: 0o600, flush: true })
  await rename(next, path)
}
