import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Destination } from '../destinations/destination.ts'
import { type Opinion, PASS, reject } from '../destinations/verdict.ts'
import { scriptFile } from '../files.ts'
import type { FetchedPage } from '../reading/page.ts'
import { BadSetting } from '../settings/bad-setting.ts'
import { HostSet } from './host-set.ts'
import type { ReadBlocklist } from './read-blocklist.ts'
import type { Reviewer, ReviewLog } from './reviewers.ts'

/** With a million lines in half a second, this is some ten million. */
const FILE_MAX_BYTES = 256 * 1024 * 1024
/** A change is read once the file looks the same twice in a row: within five seconds, even of a long list. */
const LOOK_EVERY_MS = 1_000
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

  constructor(paths: readonly string[], lookEveryMs = LOOK_EVERY_MS) {
    this.#paths = paths
    this.#lookEveryMs = lookEveryMs
  }

  /** @throws BadSetting if a list cannot be read: nobody should rely on one that was never there */
  async open(): Promise<void> {
    for (const path of this.#paths) {
      const files = await filesIn(path).catch(error => {
        throw new BadSetting('BLOCKLISTS', `${path} cannot be read: ${error.message}`)
      })
      for (const file of files) {
        const problem = await this.#read(file)
        if (problem !== undefined) throw new BadSetting('BLOCKLISTS', `${file} ${problem}`)
      }
    }
  }

  start(log: ReviewLog): void {
    const look = async () => {
      this.#looking = this.#look(log)
      await this.#looking
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

  /** Reads again what has changed. Never throws. */
  async #look(log: ReviewLog): Promise<void> {
    const present = await Promise.all(this.#paths.map(path => filesIn(path).catch(() => [])))
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
    if ('problem' in found) return found.problem
    if (list.endsLine && !found.endsLine && found.hosts.size < list.hosts.size) return 'is half written'
    list.hosts = new HostSet(found.hosts)
    list.endsLine = found.endsLine
    this.#lists.set(path, list)
    return undefined
  }
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
  const worker = new Worker(scriptFile('review/read-blocklist'), {
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
