import { rename, writeFile } from 'node:fs/promises'

/** Replaces a file, readable only by its owner, in one step: a full disk or a crash leaves the older one. */
export async function replaceFile(path: string, content: string | Iterable<string>): Promise<void> {
  const next = `${path}.${process.pid}`
  await writeFile(next, content, { mode: 0o600, flush: true })
  await rename(next, path)
}
