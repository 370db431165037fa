import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { messageOf, PlacardError, usageError } from '../error.ts'
import type { JournalRecord } from '../submissions/record.ts'
import { unusable as unusableStore } from '../submissions/store.ts'
import { makeFolder, syncFolder } from './folder.ts'
import { closeCutLine, formatLine, isCutOff, readLine } from './line.ts'

/**
 * Appends a line. When this returns, the line and the file's name are on disk.
 *
 * There is no lock. The operating system orders appends from several processes, each line is one write, and nothing is
 * ever changed or removed. So all processes that append and then read see the same order. This is true for local file
 * systems, not for network shares. Throws `journal_unusable` and `journal_damaged`.
 */
export async function appendRecord(path: string, record: JournalRecord): Promise<void> {
  await withJournal(path, async file => {
    const bytes = Buffer.from(`${closingOf(await readTail(file), path)}${formatLine(record)}\n`)
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten < bytes.length) throw new Error('The disk is full.')
  })
}

/**
 * Writes a new journal with these records, completely or not at all. Throws `journal_exists` if the file exists, and
 * `journal_unusable`.
 */
export async function writeNewJournal(path: string, records: JournalRecord[]): Promise<void> {
  const bytes = Buffer.from(records.map(record => `${formatLine(record)}\n`).join(''))
  try {
    await makeFolder(dirname(resolve(path)))
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } catch (error) {
      await unlink(path)
      throw error
    } finally {
      await file.close()
    }
    await syncFolder(dirname(resolve(path)))
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(path) : unusable(path, error)
  }
}

/** Makes sure that everything in the journal is on disk, including what another process has just written. */
export async function syncJournal(path: string): Promise<void> {
  await withJournal(path, async () => {})
}

/**
 * Returns all records of the journal, oldest first; none if there is no file. Skips a last line that a crash cut off:
 * its request was never sent, since requests wait for the whole line. Throws `journal_unusable`. Throws
 * `journal_damaged` for any other unreadable line, which may contain a listing's key.
 */
export async function readRecords(path: string): Promise<JournalRecord[]> {
  const bytes = await readWhole(path)
  const records: JournalRecord[] = []
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const end = bytes.indexOf('\n', start)
    const line = bytes.subarray(start, end < 0 ? bytes.length : end)
    start = end < 0 ? bytes.length : end + 1
    const read = readLine(line)
    if (read.is === 'whole') records.push(read.record)
    else if (read.is === 'newer') throw newer(path, number)
    else if (read.is === 'damaged' && !(end < 0 && isCutOff(line))) throw damaged(path, number)
  }
  return records
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    const file = await openOrdinary(path, constants.O_RDONLY)
    return await file.readFile().finally(() => file.close())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw unusable(path, error)
  }
}

/** Returns what to write before a new line: nothing, or the end of an unfinished last line. */
function closingOf(tail: Buffer, path: string): string {
  if (tail.length === 0) return ''
  if (readLine(tail).is !== 'damaged') return '\n'
  if (isCutOff(tail)) return `${closeCutLine(tail)}\n`
  throw damaged(path)
}

const TAIL_CHUNK_BYTES = 4096

/** Returns the bytes after the last line break. */
async function readTail(file: FileHandle): Promise<Buffer> {
  let tail = Buffer.alloc(0)
  for (let end = (await file.stat()).size; end > 0; ) {
    const size = Math.min(TAIL_CHUNK_BYTES, end)
    const { buffer } = await file.read({ buffer: Buffer.alloc(size), position: end - size })
    const lineBreak = buffer.lastIndexOf('\n')
    tail = Buffer.concat([buffer.subarray(lineBreak + 1), tail])
    if (lineBreak >= 0) break
    end -= size
  }
  return tail
}

/**
 * Opens only a regular file. A device or a pipe would store nothing, could block this process, and must not get a new
 * mode.
 */
async function openOrdinary(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | (constants.O_NONBLOCK ?? 0), 0o600)
  const stats = await file.stat()
  if (stats.isFile()) return file
  await file.close()
  throw new Error('It is not a regular file.')
}

async function withJournal(path: string, act: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await makeFolder(dirname(resolve(path)))
    const file = await openOrdinary(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
    try {
      await keepPrivate(file)
      await act(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(dirname(resolve(path)))
  } catch (error) {
    throw error instanceof PlacardError ? error : unusable(path, error)
  }
}

async function keepPrivate(file: FileHandle): Promise<void> {
  const { mode } = await file.stat()
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await file.chmod(0o600)
}

const unusable = (path: string, error: unknown) => unusableStore(path, messageOf(error))

const exists = (path: string) =>
  usageError(
    'journal_exists',
    `There is a file ${path} already.`,
    'Nothing was changed. Name a file that does not exist; to add to a journal, import into it.',
  )

function newer(path: string, lineNumber: number): PlacardError {
  return usageError(
    'journal_newer',
    `Line ${lineNumber} of the journal ${path} was written by a newer version of this client.`,
    'Nothing was sent. Update the client, or name another file.',
    'store',
  )
}

/** @param lineNumber of the damaged line; the last line, unless given */
function damaged(path: string, lineNumber?: number): PlacardError {
  return usageError(
    'journal_damaged',
    `${lineNumber ? `Line ${lineNumber}` : 'The last line'} of the journal ${path} is damaged, and may hold the only key of a listing.`,
    'Nothing was sent. Restore the journal from a backup, or fix that line. If you can do neither, delete the line: ' +
      'listings published with it can then be managed only by their private link, and cannot be published again.',
    'store',
  ).with({ keepCredentials: true })
}
