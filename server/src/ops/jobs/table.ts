import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { type Channel, channelsOf } from '../../domain/notifications/operator/channels.ts'
import { countDueDeliveries, deliverDueNotices } from '../../domain/notifications/owner/deliver.ts'
import { tellEnds } from '../../domain/notifications/owner/ends-soon.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import { LOOK_READER_LIMITS } from '../../domain/recheck/fetch-twice.ts'
import type { GuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { PageReaders } from '../../domain/review/page-parser/parser-pool.ts'
import type { Reviewers } from '../../domain/review/reviewers/reviewers.ts'
import { Changes, tagsOf } from '../../platform/cdn/changes.ts'
import type { Purger } from '../../platform/cdn/purger.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import type { Config } from '../../platform/config/config.ts'
import { databaseFile } from '../../platform/db/data-folder.ts'
import { DatabaseDamaged } from '../../platform/db/failures.ts'
import { quickCheck } from '../../platform/db/sqlite-files.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { chainDecisions } from './chain-decisions.ts'
import { checkDuePages, countDueChecks } from './check-followed-pages.ts'
import { deleteOld, runToEnd } from './delete-old-rows.ts'
import { countDuePictures, PictureWorker } from './fetch-pictures.ts'
import { Telling } from './notify-operator.ts'
import { ChangedBoards, compareFollowed } from './notify-owners.ts'
import { renewEntries } from './rebuild-search.ts'
import { countDueLooks, lookAtDue } from './recheck-listings.ts'
import { reconcileNightly } from './reconcile-nightly.ts'
import type { Job, Step } from './runner.ts'

/** It reads all that is followed. */
const TELL_ENDS_EVERY_MS = 60_000

interface StepDependencies {
  config: Pick<Config, 'looksPerHour' | 'telling' | 'databaseUrl' | 'dataDir'>
  clock: () => number
  log: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>
  links: Links
  serviceKeys: ServiceKeys
  /** One for each purpose, with its limits. */
  fetchers: Record<'pictures' | 'followed' | 'webhooks' | 'looks', GuardedFetcher>
  reviewers: Reviewers
  purger: Purger | undefined
}

/**
 * What each job does. Those that keep something from one run to the next keep it here.
 *
 * @returns with `close`, which ends the processes they use; call it once no job runs
 */
export function stepsOf(deps: StepDependencies): { steps: Record<KindName, Step>; close(): Promise<void> } {
  const { config, clock, log, links, fetchers, purger } = deps
  const pictures = new PictureWorker({ ...deps, fetcher: fetchers.pictures })
  // Its own, so that publishing never waits for a look.
  const readers = new PageReaders({ limits: LOOK_READER_LIMITS })
  const boards = new ChangedBoards()
  const { webhook, mail } = channelsOf(config.telling, links)
  let endsToldAt = 0
  let changes = new Changes()
  const steps: Record<KindName, Step> = {
    chain: async ({ store, signal }) => void (await chainDecisions(store, clock, { signal })),
    async check() {
      const found = await quickCheck(databaseFile(config.dataDir))
      // Its log has the operator told.
      if (found !== undefined) log.error({ err: new DatabaseDamaged(found) }, 'the database is damaged')
    },
    async followed({ store, signal, isFirst }) {
      const now = clock()
      await compareFollowed(store, boards, now, signal)
      if (!isFirst && Math.abs(now - endsToldAt) < TELL_ENDS_EVERY_MS) return
      await tellEnds(store, now)
      endsToldAt = now
    },
    looks({ store, signal }) {
      const { looksPerHour } = config
      return lookAtDue({ ...deps, store, looksPerHour, fetcher: fetchers.looks, readers }, signal)
    },
    notices: ({ store, signal }) => deliverDueNotices({ ...deps, store, fetcher: fetchers.webhooks }, signal),
    pages: ({ store, signal }) => checkDuePages({ store, clock, fetcher: fetchers.followed }, signal),
    pictures: ({ store, signal }) => pictures.fetchDue(store, signal),
    async purge({ store, isFirst }) {
      if (isFirst) changes = new Changes()
      const changed = await changes.look(store)
      // Nobody knows what the process before has still told, nor what was true of what is gone.
      purger?.add(isFirst || changed.hasGoneBack ? [TAGS.site] : tagsOf(changed))
    },
    reconcile: reconcileNightly({ settings: config, clock, log }),
    async retention({ store, signal }) {
      const rows = await deleteOld({ store, clock }, signal)
      if (Object.keys(rows).length > 0) log.info({ rows }, 'deleted old rows')
    },
    search: async ({ store, signal }) =>
      void (await runToEnd({ days: 0, step: renewEntries }, { store, clock }, signal)),
    'tell-mail': tellBy(mail),
    'tell-webhook': tellBy(webhook),
  }

  function tellBy(channel: Channel | undefined): Step {
    const telling = channel && new Telling({ clock, links, log }, channel)
    return async ({ store, signal }) => telling?.tell(store, signal)
  }

  return {
    steps,
    async close() {
      pictures.close()
      await readers.close()
    },
  }
}

interface Kind {
  does: string
  /** From the end of a run to the next. */
  everyMs: number
  /** How many things wait for it, where they can be counted. */
  due?: (store: Store, now: number) => Promise<number>
  /** Whether the settings want it; left out where they always do. */
  isOn?: (config: Pick<Config, 'looksPerHour' | 'telling' | 'purge' | 'databaseUrl'>) => boolean
}

/** Where very much may wait. */
const COUNTED_MAX = 10_000

/** Everything that one process does for all. What it does is in `table.ts`. */
const KINDS = {
  chain: { does: 'chains decisions', everyMs: SECOND_MS, due: (store: Store) => countOf(store, unchained) },
  check: {
    does: 'looks for damage in the database file',
    everyMs: 24 * 60 * MINUTE_MS,
    isOn: ({ databaseUrl }) => databaseUrl === undefined,
  },
  followed: { does: 'tells followers of places and ends', everyMs: SECOND_MS },
  looks: {
    does: 'looks at listed pages again',
    everyMs: SECOND_MS,
    due: countDueLooks,
    isOn: ({ looksPerHour }) => looksPerHour > 0,
  },
  notices: { does: 'posts to webhooks of owners', everyMs: SECOND_MS, due: countDueDeliveries },
  pages: { does: 'loads pages that are followed', everyMs: SECOND_MS, due: countDueChecks },
  pictures: { does: 'fetches preview images', everyMs: SECOND_MS, due: countDuePictures },
  purge: { does: 'purges the shared cache', everyMs: SECOND_MS, isOn: ({ purge }) => purge !== undefined },
  reconcile: { does: 'proves the boards, once a night', everyMs: MINUTE_MS },
  retention: { does: 'deletes old rows', everyMs: 60 * MINUTE_MS },
  search: {
    does: 'rebuilds search entries',
    everyMs: MINUTE_MS,
    due: (store: Store) => countOf(store, stale),
  },
  'tell-mail': {
    does: 'mails the operator',
    everyMs: 5 * SECOND_MS,
    isOn: ({ telling }) => telling.mail !== undefined,
  },
  'tell-webhook': {
    does: 'posts to the operator',
    everyMs: 5 * SECOND_MS,
    isOn: ({ telling }) => telling.webhook !== undefined,
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS
const ENTRIES = Object.entries(KINDS) as [KindName, Kind][]

/** The jobs that the settings want. */
export const kindsFor = (config: Parameters<NonNullable<Kind['isOn']>>[0]): [KindName, Kind][] =>
  ENTRIES.filter(([, { isOn }]) => isOn?.(config) ?? true)

/** The same, to run. */
export const jobsFor = (config: Parameters<typeof kindsFor>[0], steps: Readonly<Record<KindName, Step>>): Job[] =>
  kindsFor(config).map(([name, { everyMs }]) => ({ name, everyMs, step: steps[name] }))

const countOf = async (store: Store, count: typeof stale): Promise<number> =>
  Number((await count(store, {}))[0]?.all ?? 0)

const unchained = statement(
  {},
  () => sql<{ all: number | string }>`
    select count(*) as "all" from (select 1 from decision where position is null limit ${sql.lit(COUNTED_MAX)}) as due`,
)
const stale = statement(
  {},
  () => sql<{ all: number | string }>`
    select count(*) as "all" from (select 1 from search_stale limit ${sql.lit(COUNTED_MAX)}) as due`,
)
