import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { scriptFile } from '../../../platform/lib/package.ts'
import { daysMs } from '../../../platform/lib/time.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { FetchedPage } from '../page.ts'
import { type Opinion, PASS, reject } from '../verdict.ts'
import { type BuiltHostSet, HostSet } from './host-set.ts'
import type { ListState, Reviewer, ReviewLog } from './reviewers.ts'

/** With a million lines in half a second, this is some ten million. */
const FILE_MAX_BYTES = 256 * 1024 * 1024

/** A change is read once the file looks the same twice in a row: within five seconds, even of a long list. */
const LOOK_EVERY_MS = 1_000

/** A list that somebody downloads changes more often than this; one that a person writes is shorter. */
const STALE_AFTER_MS = daysMs(14)
const DOWNLOADED_MIN_NAMES = 1000

/** How often an unsolved problem is told again; the operator hears of it once a day. */
const TELL_EVERY_MS = 60 * 60 * 1000

/** Hidden files, and what editors and downloads leave while they write. */
const UNFINISHED = /^\.|~$|\.(?:tmp|part|swp|crdownload)$/

interface List {
  path: string
  /** The last good one. */
  hosts: HostSet
  endsLine: boolean
  /** What the file looked like when it was last read, whether that went well or not. */
  read: string
  /** What it looked like a moment ago, if that was new. */
  seen: string
  /** When the file was last written, in Unix milliseconds. */
  changedAt?: number
  /** Why it could not be read last time, as the end of a sentence. */
  problem?: string | undefined
}

/** The operator's lists of hosts to refuse: files, or folders of files. Each stays as it last was well. */
export class Blocklists implements Reviewer {
  readonly name = 'blocklists'
  readonly version = '1'
  readonly #paths: readonly string[]
  readonly #lookEveryMs: number
  readonly #lists = new Map<string, List>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(paths: readonly string[], lookEveryMs = LOOK_EVERY_MS) {
    this.#paths = paths
    this.#lookEveryMs = lookEveryMs
  }

  /** Reads all lists. One that cannot be read is told once there is a log: a start must not fail with a download. */
  async open(): Promise<void> {
    for (const path of this.#paths) {
      const files = await filesIn(path).catch(() => [path])
      for (const file of files) await this.#read(file)
    }
  }

  start(log: ReviewLog, warn: () => void = () => {}): void {
    for (const { problem } of this.lists(Date.now())) if (problem !== undefined) log.warn(problem)
    const look = async () => {
      this.#looking = this.#look(log)
      await this.#looking
      if (this.#mustTell()) warn()
      if (this.#timer) this.#timer = setTimeout(look, this.#lookEveryMs).unref()
    }
    this.#timer = setTimeout(look, this.#lookEveryMs).unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#looking
  }

  review(page: FetchedPage, { hostname }: Destination): Opinion {
    for (const host of new Set([hostname, new URL(page.url).hostname])) {
      const found = this.find(host)
      if (found) return reject('blocklisted', undefined, { host, ...found })
    }
    return PASS
  }

  /** The first list that names a host or one of its parents, by its file's name, and the name in it. */
  find(hostname: string): { list: string; listed: string } | undefined {
    for (const { path, hosts } of this.#lists.values()) {
      const listed = hosts.find(hostname)
      if (listed !== undefined) return { list: basename(path), listed }
    }
    return undefined
  }

  /** @param now in Unix milliseconds */
  lists(now: number): ListState[] {
    return [...this.#lists.values()].map(list => {
      const { path, hosts, changedAt } = list
      return { path, names: hosts.size, isRead: list.problem === undefined, changedAt, problem: problemOf(list, now) }
    })
  }

  #mustTell(): boolean {
    const isDue = performance.now() - this.#toldAt >= TELL_EVERY_MS
    if (!isDue || this.lists(Date.now()).every(({ problem }) => problem === undefined)) return false
    this.#toldAt = performance.now()
    return true
  }

  /** Reads again what has changed. Never throws. */
  async #look(log: ReviewLog): Promise<void> {
    const present = await Promise.all(this.#paths.map(path => filesIn(path).catch((): string[] => [])))
    // A folder that was missing, and is back.
    for (const [nth, path] of this.#paths.entries()) {
      if ((present[nth] ?? []).some(file => file !== path)) this.#lists.delete(path)
    }
    for (const path of new Set([...present.flat(), ...this.#lists.keys()])) {
      const list = this.#lists.get(path) ?? noList(path)
      const looks = await looksOf(path)
      if (looks !== list.read && looks === list.seen) {
        const problem = await this.#read(path)
        if (problem === undefined) log.info({ path }, 'a blocklist was read again')
        else log.warn({ path }, `a blocklist ${problem}; the last good one (${list.hosts.size} names) stays`)
      }
      list.seen = looks
      if (!this.#lists.has(path)) this.#lists.set(path, list)
    }
  }

  /** @returns what is wrong with it, as the end of a sentence; then what was read before stays */
  async #read(path: string): Promise<string | undefined> {
    const list = this.#lists.get(path) ?? noList(path)
    const looks = await looksOf(path)
    const found = await readApart(path)
    // Written to meanwhile: look again.
    if ((await looksOf(path)) !== looks && this.#timer) return undefined
    list.read = looks
    this.#lists.set(path, list)
    list.problem = 'problem' in found ? found.problem : undefined
    if ('problem' in found) return list.problem
    if (list.endsLine && !found.endsLine && found.hosts.size < list.hosts.size) {
      list.problem = 'is half written'
      return list.problem
    }
    list.hosts = new HostSet(found.hosts)
    list.endsLine = found.endsLine
    list.changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()
    return undefined
  }
}

function problemOf({ path, hosts, problem, changedAt }: List, now: number): string | undefined {
  if (problem !== undefined) {
    const rest = hosts.size > 0 ? `the last good one (${hosts.size} names) stays` : 'it blocks nothing'
    return `the blocklist ${path} ${problem}; ${rest}. Put the file back, or take it out of BLOCKLISTS.`
  }
  if (changedAt === undefined || hosts.size < DOWNLOADED_MIN_NAMES) return undefined
  const days = Math.floor((now - changedAt) / daysMs(1))
  if (now - changedAt < STALE_AFTER_MS) return undefined
  return `the blocklist ${path} has not changed for ${days} days. Look whether it is still downloaded.`
}

const noList = (path: string): List => ({
  path,
  hosts: new HostSet(),
  endsLine: false,
  read: '',
  seen: '',
})

/** @throws Error if there is no such file or folder */
async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory() && !UNFINISHED.test(entry.name))
    .map(entry => join(path, entry.name))
    .sort()
}

/** Changes whenever the file does. */
async function looksOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [ino, size, mtimeMs, ctimeMs].join()
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

async function readApart(path: string): Promise<ReadBlocklist | { problem: string }> {
  try {
    const found = await stat(path)
    // A pipe would be waited for, and with it every other list.
    if (!found.isFile()) return { problem: 'is no file' }
    if (found.size > FILE_MAX_BYTES) {
      return { problem: `is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB` }
    }
  } catch (error) {
    return { problem: `cannot be read: ${(error as Error).message}` }
  }
  const worker = new Worker(scriptFile('ops/processes/read-blocklist'), {
    workerData: path,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  const { promise, resolve } = Promise.withResolvers<ReadBlocklist | { problem: string }>()
  worker.once('message', resolve)
  worker.once('error', error => resolve({ problem: `cannot be read: ${(error as Error).message}` }))
  worker.once('exit', () => resolve({ problem: 'cannot be read: its reader ended' }))
  return promise.finally(() => worker.terminate())
}

export interface ReadBlocklist {
  hosts: BuiltHostSet
  /** A file that used to end its last line, and no longer does, is half written. */
  endsLine: boolean
}
