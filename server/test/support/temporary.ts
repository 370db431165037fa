import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program of the browser; not set if the run leaves out tests in a browser. */
    chromiumPath: string
  }
}

const GIB = 1024 ** 3
/** Linux keeps what is written here in memory. */
const MEMORY = '/dev/shm'

/** Makes a folder in which the whole run keeps its temporary files, and deletes it at the end. */
export default async function setup(
  project: Pick<TestProject, 'provide'> & { config?: Pick<TestProject['config'], 'tagsFilter'> },
): Promise<() => void> {
  // Its package unpacks it to where temporary files are. It stays there for the next run.
  if (!project.config?.tagsFilter?.some(filter => filter.includes('!browser'))) {
    project.provide('chromiumPath', await chromium.executablePath())
  }
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'placard-tests-'))
  // For every user, as the folder around it: PostgreSQL refuses to run as root.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  return remove
}

/**
 * Returns whether temporary files should be in memory. Tests create and delete thousands of them, with every database.
 * On some file systems, such as ext4 without a journal, this can take more CPU than all the tests.
 */
function hasRoomInMemory(): boolean {
  try {
    const mounted = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounted
      .find(line => line.split(' ')[1] === MEMORY)
      ?.split(' ')[3]
      ?.split(',')
    // Some tests start programs from their folder.
    if (!options || options.includes('noexec')) return false
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > 4 * GIB && freemem() > 8 * GIB
  } catch {
    return false
  }
}
