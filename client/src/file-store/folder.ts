import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and its parents, readable only by their owner, and syncs their names to disk. An existing folder keeps
 * its mode: the mode of a file protects its secrets.
 *
 * Node's own recursive `mkdir` never returns if a folder that exists answers ENOENT, as autofs and /proc do.
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (await isFolder(folder)) return
    const isOrphan = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await isFolder(parent))
    if (!isOrphan || parent === folder) throw error
    await makeFolder(parent)
    return makeFolder(folder)
  }
  await syncFolder(parent)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )

export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and writes file names to disk on its own.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
