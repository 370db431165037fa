import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, usageError } from '../error.ts'
import { makeFolder } from '../file-store/folder.ts'
import { replaceFile } from '../file-store/replace-file.ts'
import { list, misfit, object, record, text as string, wholeFrom } from '../service/shape.ts'
import type { KeptLog } from './follow.ts'

/** Raise it if the format changes. Files of other versions are refused, so a person can read their checkpoint. */
const VERSION = 1

/** What every file has. Without this check, a damaged file could be treated as a log that was never seen. */
const shape = object({
  origin: string,
  keys: list(string),
  note: string,
  edge: list(string),
  replay: object({ size: wholeFrom(0), boards: record }),
})

/** Returns the file in which what was seen of a service's log is kept, next to the journal. */
export const keptLogPath = (journal: string, service: string): string =>
  join(dirname(journal), 'logs', `${new URL(service).host.replace(':', '_')}.json`)

/** Returns what was kept. Undefined if the log was never verified. Throws `kept_log_unusable`. */
export async function readKeptLog(path: string): Promise<KeptLog | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw unusable(path, error)
  })
  if (text === undefined) return undefined
  try {
    const { version, log } = JSON.parse(text)
    if (version !== VERSION) throw new Error(`it is of version ${version}`)
    const wrong = misfit(shape, log)
    if (wrong !== undefined) throw new Error(`it is damaged at ${wrong}`)
    return log
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Replaces what was kept, in one step. Throws `kept_log_unusable`. */
export async function writeKeptLog(path: string, log: KeptLog): Promise<void> {
  try {
    await makeFolder(dirname(path))
    await replaceFile(path, pieces(log))
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Returns the file board by board, since a million entries give 12 MB of text. */
function* pieces({ replay: { boards, ...replay }, ...log }: KeptLog): Generator<string> {
  const open = (value: object) => JSON.stringify(value).slice(0, -1)
  yield `{"version":${VERSION},"log":${open(log)},"replay":${open(replay)},"boards":{`
  for (const [at, board] of Object.keys(boards).entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(board)}:${JSON.stringify(boards[board])}`
  }
  yield '}}}}'
}

const unusable = (path: string, error: unknown) =>
  usageError(
    'kept_log_unusable',
    `What was seen of the log cannot be read or written in ${path}: ${messageOf(error)}.`,
    'Restore the file. If you delete it, the log is verified from its first entry, but not against what you saw.',
    'store',
  )

/** Returns the keys of a log that earlier runs have seen at any service. Leaves out files that cannot be read. */
export async function findKeptKeys(journal: string, origin: string): Promise<string[]> {
  const folder = join(dirname(journal), 'logs')
  const names = await readdir(folder).catch(() => [])
  const files = names
    .filter(name => name.endsWith('.json'))
    .map(name => readKeptLog(join(folder, name)).catch(() => undefined))
  return (await Promise.all(files)).flatMap(log => (log?.origin === origin ? log.keys : []))
}
