import { constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { usageError } from './error.ts'

/** One line of the journal: a JSON object that says its own type. */
export type JournalLine = { type: string } & Record<string, unknown>

/** Where the journal is unless told: `$PLACARD_JOURNAL`, else in `$XDG_STATE_HOME` or `~/.local/state`. */
export function defaultJournalPath(env: NodeJS.ProcessEnv = process.env): string {
  const stateHome = env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  return env.PLACARD_JOURNAL || join(stateHome, 'placard', 'journal.jsonl')
}

/**
 * Adds a line at the end. When this returns, the line and its file's name are on disk.
 *
 * There is no lock. The operating system orders appends from several processes, each line is one write, and nothing
 * is ever changed or removed: whoever appends and then reads sees the same order as everybody else.
 * (This holds for local file systems, not for network shares.) Throws `journal_unusable`.
 */
export async function appendLine(path: string, line: JournalLine): Promise<void> {
  await withJournal(path, async file => {
    const text = `${(await endsTorn(file)) ? '\n' : ''}${JSON.stringify(line)}\n`
    const bytes = Buffer.from(text)
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten < bytes.length) throw new Error('The disk is full.')
  })
}

/** Makes sure that everything now in the journal, also what another process has just written, is on disk. */
export async function syncJournal(path: string): Promise<void> {
  await withJournal(path, async () => {})
}

/**
 * Every whole line, oldest first; none where there is no file. A line that a crash left torn is passed over: its
 * request was never sent, since requests wait for the whole line. Throws `journal_unusable`.
 */
export async function readLines(path: string): Promise<JournalLine[]> {
  try {
    checkOrdinary(await stat(path))
    return (await readFile(path, 'utf8')).split('\n').flatMap(parseLine)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw unusable(path, error)
  }
}

/** A device or a pipe would take every line and keep none, and is not ours to make private. */
function checkOrdinary(stats: Stats): void {
  if (!stats.isFile()) throw new Error('It is no ordinary file.')
}

function parseLine(line: string): JournalLine[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'type' in value ? [value as JournalLine] : []
  } catch {
    return []
  }
}

async function withJournal(path: string, act: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await makeFolder(dirname(resolve(path)))
    const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
    try {
      await keepPrivate(file)
      await act(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(dirname(resolve(path)))
  } catch (error) {
    throw unusable(path, error)
  }
}

// A folder that was there already is somebody's own and keeps its mode; the file's mode protects the secrets.
async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!firstMade) return
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) {
    await syncFolder(dirname(made))
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and writes its names through by itself.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

async function keepPrivate(file: FileHandle): Promise<void> {
  const stats = await file.stat()
  checkOrdinary(stats)
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) await file.chmod(0o600)
}

async function endsTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return buffer.toString() !== '\n'
}

function unusable(path: string, error: unknown) {
  return usageError(
    'journal_unusable',
    `The journal ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    'Without it a receipt could be lost. Free the disk, mend its permissions, or name another file.',
  )
}
