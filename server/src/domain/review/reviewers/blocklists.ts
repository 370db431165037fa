import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runOnThread } from '../../../platform/lib/child-process.ts'
import { Repeated } from '../../../platform/lib/repeat.ts'
import { counted } from '../../../platform/lib/text.ts'
import { atMostEvery, daysMs, HOUR_MS } from '../../../platform/lib/time.ts'
import type { Destination } from '../../destinations/destination.ts'
import { type FetchedPage, hostsOf } from '../page.ts'
import { type Opinion, PASS, reject } from '../verdict.ts'
import { type BuiltHostSet, HostSet } from './host-set.ts'
import type { ListState, Reviewer, ReviewLog } from './reviewers.ts'

/** A million lines take half a second, so this allows about ten million. */
const FILE_MAX_BYTES = 256 * 1024 * 1024

/** A change is read once the file is unchanged for one interval: within five seconds, even of a long list. */
const CHECK_EVERY_MS = 1_000

/** Downloaded lists change more often than this, and lists that a person writes are shorter. */
const STALE_AFTER_MS = daysMs(14)
const DOWNLOADED_MIN_NAMES = 1000

/** The interval at which an unsolved problem is logged again. The operator is notified once a day. */
const WARN_EVERY_MS = HOUR_MS

/** Hidden files, and temporary files of editors and downloads. */
const UNFINISHED = /^\.|~$|\.(?:tmp|part|swp|crdownload)$/

interface List {
  path: string
  /** The last valid version. */
  hosts: HostSet
  endsLine: boolean
  /** The file's state when it was last read, successfully or not. */
  read: string
  /** The file's state at the last check, if it was new. */
  seen: string
  /** When the file was last written. */
  changedAt?: number
  /** Why the last reading failed, as the end of a sentence. */
  problem?: string | undefined
}

/**
 * The operator's lists of hosts to refuse: files, or folders of files. If one can't be read, its last valid version
 * stays.
 */
export class Blocklists implements Reviewer {
  readonly name = 'blocklists'
  readonly version = '1'
  readonly #paths: readonly string[]
  readonly #checkEveryMs: number
  readonly #lists = new Map<string, List>()
  #following: Repeated | undefined

  constructor(paths: readonly string[], checkEveryMs = CHECK_EVERY_MS) {
    this.#paths = paths
    this.#checkEveryMs = checkEveryMs
  }

  /** Reads all lists. An unreadable list is logged later: an incomplete download must not prevent a start. */
  async open(): Promise<void> {
    for (const path of this.#paths) {
      const files = await filesIn(path).catch(() => [path])
      for (const file of files) await this.#read(file)
    }
  }

  start(log: ReviewLog, warn: () => void = () => {}): void {
    for (const { problem } of this.lists(Date.now())) if (problem !== undefined) log.warn(problem)
    const warnHourly = atMostEvery(WARN_EVERY_MS, warn)
    const check = async () => {
      await this.#check(log)
      if (this.lists(Date.now()).some(({ problem }) => problem !== undefined)) warnHourly()
    }
    this.#following = new Repeated(check, err => log.warn({ err }, 'could not check the blocklists; will retry'))
    this.#following.start(this.#checkEveryMs)
  }

  async close(): Promise<void> {
    await this.#following?.close()
  }

  review(page: FetchedPage, destination: Destination): Opinion {
    for (const host of hostsOf(page, destination)) {
      const found = this.find(host)
      if (found) return reject('blocklisted', undefined, { host, ...found })
    }
    return PASS
  }

  /** Returns the first list that has a host or one of its parents, by its file's name, and the listed name. */
  find(hostname: string): { list: string; listed: string } | undefined {
    for (const { path, hosts } of this.#lists.values()) {
      const listed = hosts.find(hostname)
      if (listed !== undefined) return { list: basename(path), listed }
    }
    return undefined
  }

  lists(now: number): ListState[] {
    return [...this.#lists.values()].map(list => {
      const { path, hosts, problem } = list
      const state = { path, names: hosts.size, isRead: problem === undefined, downloadedAt: downloadedAt(list) }
      return { ...state, problem: problemOf(list, now) }
    })
  }

  /** Reads changed lists again. Never throws. */
  async #check(log: ReviewLog): Promise<void> {
    const present = await Promise.all(this.#paths.map(path => filesIn(path).catch((): string[] => [])))
    // A missing folder may have returned.
    for (const [nth, path] of this.#paths.entries()) {
      if ((present[nth] ?? []).some(file => file !== path)) this.#lists.delete(path)
    }
    for (const path of new Set([...present.flat(), ...this.#lists.keys()])) {
      const list = this.#lists.get(path) ?? noList(path)
      const state = await stateOf(path)
      if (state !== list.read && state === list.seen) {
        const problem = await this.#read(path)
        if (problem === undefined) log.info({ path }, 'a blocklist was read again')
        else
          log.warn(
            { path },
            `a blocklist ${problem}; the last valid version (${counted(list.hosts.size, 'name')}) stays`,
          )
      }
      list.seen = state
      if (!this.#lists.has(path)) this.#lists.set(path, list)
    }
  }

  /** @returns the problem, as the end of a sentence; then the previous version stays */
  async #read(path: string): Promise<string | undefined> {
    const list = this.#lists.get(path) ?? noList(path)
    const state = await stateOf(path)
    const found = await readOnThread(path)
    const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()
    // The file changed during the reading, so it is read again.
    if ((await stateOf(path)) !== state && this.#following) return undefined
    list.read = state
    this.#lists.set(path, list)
    list.problem = 'problem' in found ? found.problem : undefined
    if ('problem' in found) return list.problem
    if (list.endsLine && !found.endsLine && found.hosts.size < list.hosts.size) {
      list.problem = 'is incomplete'
      return list.problem
    }
    list.hosts = new HostSet(found.hosts)
    list.endsLine = found.endsLine
    list.changedAt = changedAt
    return undefined
  }
}

const downloadedAt = ({ hosts, changedAt }: List) => (hosts.size < DOWNLOADED_MIN_NAMES ? undefined : changedAt)

function problemOf(list: List, now: number): string | undefined {
  const { path, hosts, problem } = list
  if (problem !== undefined) {
    const effect =
      hosts.size > 0 ? `the last valid version (${counted(hosts.size, 'name')}) stays` : 'it blocks nothing'
    return `the blocklist ${path} ${problem}; ${effect}. Restore the file, or remove it from BLOCKLISTS.`
  }
  const age = now - (downloadedAt(list) ?? now)
  if (age < STALE_AFTER_MS) return undefined
  const days = Math.floor(age / daysMs(1))
  return `the blocklist ${path} has not changed for ${days} days. Check whether it is still downloaded.`
}

const noList = (path: string): List => ({
  path,
  hosts: new HostSet(),
  endsLine: false,
  read: '',
  seen: '',
})

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory() && !UNFINISHED.test(entry.name))
    .map(entry => join(path, entry.name))
    .sort()
}

/** Returns a text that changes whenever the file does. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [ino, size, mtimeMs, ctimeMs].join()
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

async function readOnThread(path: string): Promise<ReadBlocklist | { problem: string }> {
  try {
    const found = await stat(path)
    // Reading a pipe would block, and delay every other list.
    if (!found.isFile()) return { problem: 'is not a file' }
    if (found.size > FILE_MAX_BYTES) {
      return { problem: `is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB` }
    }
    const resourceLimits = { maxOldGenerationSizeMb: 128 }
    return await runOnThread('ops/processes/read-blocklist', { workerData: path, env: {}, resourceLimits })
  } catch (error) {
    return { problem: `cannot be read: ${(error as Error).message}` }
  }
}

export interface ReadBlocklist {
  hosts: BuiltHostSet
  /** Whether the last line has its line break. A file that loses it is incomplete. */
  endsLine: boolean
}
