import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { looksDue } from '../continuity/seen-page.ts'
import { checksDue } from '../notices/check-pages.ts'
import { deliveriesDue } from '../notices/delivery-queue.ts'
import { picturesDue } from '../pictures/queue.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import type { Job, Step } from './job.ts'

interface Kind {
  does: string
  /** From the end of a run to the next. */
  everyMs: number
  /** How many things wait for it, where they can be counted. */
  due?: (store: Store, now: number) => Promise<number>
  /** Whether the settings want it; left out where they always do. */
  isOn?: (config: Pick<Config, 'looksPerHour' | 'telling' | 'purge'>) => boolean
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000
/** Where very much may wait. */
const COUNTED_MAX = 10_000

/** Everything that one process does for all. What it does is in `steps.ts`. */
const KINDS = {
  chain: { does: 'chains decisions', everyMs: SECOND_MS, due: (store: Store) => countOf(store, unchained) },
  followed: { does: 'tells followers of places and ends', everyMs: SECOND_MS },
  looks: {
    does: 'looks at listed pages again',
    everyMs: SECOND_MS,
    due: looksDue,
    isOn: ({ looksPerHour }) => looksPerHour > 0,
  },
  notices: { does: 'posts to webhooks of owners', everyMs: SECOND_MS, due: deliveriesDue },
  pages: { does: 'loads pages that are followed', everyMs: SECOND_MS, due: checksDue },
  pictures: { does: 'fetches preview images', everyMs: SECOND_MS, due: picturesDue },
  purge: { does: 'purges the shared cache', everyMs: SECOND_MS, isOn: ({ purge }) => purge !== undefined },
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
export const jobsFor = (
  config: Parameters<typeof kindsFor>[0],
  steps: Readonly<Record<KindName, Step>>,
): Job[] => kindsFor(config).map(([name, { everyMs }]) => ({ name, everyMs, step: steps[name] }))

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
