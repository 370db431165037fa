import { RECHECK_FETCH_LIMITS, RECHECK_READER_LIMITS } from '../../domain/recheck/fetch-twice.ts'
import { type Rechecked, type RecheckParts, recheckListing } from '../../domain/recheck/recheck.ts'
import { type DueRecheck, notRecheckedSince, recheckOf } from '../../domain/recheck/schedule.ts'
import { createGuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { PageReaders } from '../../domain/review/page-parser/page-readers.ts'
import { chosenReviewers } from '../../domain/review/reviewers/chosen-reviewers.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { VERSION } from '../../platform/lib/package.ts'
import { type Command, noListing, readLimit, UsageError } from './command.ts'
import { inWords } from './open-items.ts'
import { linksOf, withStore } from './with-store.ts'

const BATCH = 16

/**
 * Rechecks one listing or all, one at a time, and prints each result. A signal stops it after the current page, and the
 * next run continues with the pages not read yet.
 *
 * @throws Error if the listing is not shown
 */
async function recheckAndPrint(
  store: Store,
  config: Config,
  { slug, count, json }: { slug: string | undefined; count: number; json: boolean },
): Promise<void> {
  const links = linksOf(config)
  const { dnsServers, connectTo } = config
  const readers = new PageReaders({ limits: RECHECK_READER_LIMITS })
  const reviewers = await chosenReviewers(config, store, links).open()
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const deps: RecheckParts = {
    store,
    clock: Date.now,
    readers,
    reviewers,
    fetcher: createGuardedFetcher({
      dnsServers,
      connectTo,
      links,
      version: VERSION,
      limits: RECHECK_FETCH_LIMITS,
    }),
  }
  const recheck = async (due: DueRecheck) => {
    const done = await recheckListing(deps, due, stopping.signal)
    if (done && !stopping.signal.aborted) printRecheck(done, json)
    return done
  }
  try {
    if (slug === undefined) return await recheckAll(deps, count, recheck, stopping.signal)
    const [due] = await recheckOf(store, { slug })
    if (!(await recheck(due ?? noListing(slug)))) throw new Error(`${slug} is not shown, or is being rechecked`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await readers.close()
    await reviewers.close()
  }
}

async function recheckAll(
  { store, clock }: RecheckParts,
  count: number,
  recheck: (due: DueRecheck) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const before = clock()
  let done = 0
  while (done < count && !signal.aborted) {
    const batch = await notRecheckedSince(store, { before, now: clock(), limit: Math.min(BATCH, count - done) })
    if (batch.length === 0) break
    for (const due of batch) {
      if (signal.aborted) break
      // Another process may have it.
      if (await recheck(due)) done++
    }
  }
  console.error(`placard: ${signal.aborted ? 'stopped after' : 'rechecked'} ${done} ${done === 1 ? 'page' : 'pages'}`)
}

export const reviewAgain: Command = {
  name: 'review-again',
  usage: 'SLUG|--all [--limit N]',
  does: 'recheck listed pages now, those that waited longest first',
  argumentsMax: 1,
  options: ['all', 'limit'],
  async run({ all, limit = '999999', json = false }, slug) {
    if ((slug === undefined) !== (all === true)) {
      throw new UsageError('review-again needs the slug of a listing, or --all')
    }
    const count = readLimit({ limit })
    await withStore((store, config) => recheckAndPrint(store, config, { slug, count, json }))
  },
}

function printRecheck(rechecked: Rechecked, asJson: boolean): void {
  if (asJson) return void console.log(JSON.stringify(rechecked))
  if ('unsure' in rechecked) return void console.log(`${rechecked.slug}  could not be rechecked: ${rechecked.unsure}`)
  const { slug, verdict, findings, hidden } = rechecked
  console.log(`${slug}  ${verdict.replace('_', ' ')}${hidden ? ', and hidden' : ''}`)
  for (const { kind, evidence } of findings) console.log(`    ${kind}: ${inWords(evidence)}`)
}
