import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { answersTo, askDns } from '../../domain/review/fetcher/dns.ts'
import { Blocklists } from '../../domain/review/reviewers/blocklists.ts'
import { type Config, warningsAbout } from '../../platform/config/config.ts'
import { misspeltSettings } from '../../platform/config/settings.ts'
import { readSite } from '../../platform/config/site.ts'
import { counted } from '../../platform/lib/text.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** It always exists, and reveals nothing about the operator. */
const KNOWN_NAME = 'example.com'
const DNS_TIMEOUT_MS = 2_000
const DNS_SLOW_MS = 500

const MIB = 1024 * 1024
const DISK_LOW = 1024 * MIB
const DISK_FULL = 100 * MIB
const SYNCS = 7

/** Every commit waits for one. */
const SYNC_SLOW_MS = 30

/** Checks the machine and the network. */
export const checkMachine = (config: Config): Check[] => [
  { about: 'DNS', run: () => dns(config) },
  ...(config.databaseUrl === undefined ? [{ about: 'disk', run: () => disk(config) }] : []),
]

function dns({ dnsServers }: Config) {
  const servers = dnsServers.length > 0 ? dnsServers.map(each => [each]) : [[]]
  return Promise.all(
    servers.map(async server => {
      const name = server[0] ?? "the system's resolver"
      const startedAt = performance.now()
      const { answers, failure } = await askDns({ dnsServers: server, timeoutMs: DNS_TIMEOUT_MS }, resolver =>
        answersTo(resolver.resolve4(KNOWN_NAME)),
      )
      const ms = Math.round(performance.now() - startedAt)
      if (failure !== undefined) {
        return failed(
          `${name} does not answer (${failure}): no website can be reviewed. Set DNS_SERVERS to one that does`,
        )
      }
      if (answers.length === 0) return warning(`${name} does not know ${KNOWN_NAME}: does it reach the Internet?`)
      return ms > DNS_SLOW_MS
        ? warning(`${name} takes ${ms} ms: choose a nearer one in DNS_SERVERS`)
        : ok(`${name} answers in ${ms} ms`)
    }),
  )
}

async function disk({ dataDir }: Config) {
  // The check of the database says so.
  if (!existsSync(dataDir)) return []
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const room = `${Math.round(free / MIB).toLocaleString('en')} MiB free in DATA_DIR`
  if (free < DISK_FULL) return failed(`${room}: make room, or publishes fail`)
  const ms = syncMs(dataDir)
  const sync = `an fsync takes ${ms.toFixed(1)} ms`
  if (free < DISK_LOW) return warning(`${room}, ${sync}: make room soon`)
  return ms > SYNC_SLOW_MS
    ? warning(
        `${room}, but ${sync}, for which every publish waits: use a faster disk, or a controller with a safe cache`,
      )
    : ok(`${room}, ${sync}`)
}

/** Returns the median of a few, each after a small write. Leaves no file. */
function syncMs(dataDir: string): number {
  const file = join(dataDir, `.doctor-${process.pid}`)
  const handle = openToWrite(file)
  try {
    const times = Array.from({ length: SYNCS }, () => {
      writeSync(handle, Buffer.alloc(4096, 1))
      const startedAt = performance.now()
      fsyncSync(handle)
      return performance.now() - startedAt
    })
    return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
}

function openToWrite(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `DATA_DIR cannot be written (${code}): the user of the service must own it, on a disk that is not read-only`,
    )
  }
}

/** Returns why the logo cannot be used. The service reads it only at its start, so the next one would fail. */
function problemsOfLogo(config: Config): string[] {
  try {
    readSite(config)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Warns of settings that may be intended, but should not be forgotten. Fails for those that prevent a start. */
export const checkSettings = (config: Config): Check[] => [
  {
    about: 'settings',
    async run() {
      const { submissionsEndAt = Number.POSITIVE_INFINITY } = config
      const warnings = [
        ...misspeltSettings(process.env),
        ...warningsAbout(config),
        ...(submissionsEndAt <= Date.now()
          ? ['SUBMISSIONS_END_AT has passed: new submissions get 410. Unset it to open them again.']
          : []),
      ]
      const said = [...problemsOfLogo(config).map(failed), ...warnings.map(warning)]
      return said.length > 0 ? said : ok('nothing to report')
    },
  },
]

/** Reads the operator's blocklists as the service does. */
export const checkBlocklists = ({ reviewing }: Config): Check[] =>
  reviewing.blocklists.length === 0
    ? []
    : [
        {
          about: 'lists',
          async run() {
            if (reviewing.reviewers.every(({ name }) => name !== 'blocklists')) {
              return warning('BLOCKLISTS is set, but REVIEWERS does not include blocklists, so they are not used')
            }
            const blocklists = new Blocklists(reviewing.blocklists)
            await blocklists.open()
            const lists = blocklists.lists(Date.now())
            const problems = lists.flatMap(({ problem }) => problem ?? [])
            if (problems.length > 0) return problems.map(warning)
            const names = lists.reduce((sum, each) => sum + each.names, 0)
            return ok(`${lists.length} with ${counted(names, 'name')}`)
          },
        },
      ]
