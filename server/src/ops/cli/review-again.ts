import { LOOK_FETCH_LIMITS, LOOK_READER_LIMITS } from '../../domain/recheck/fetch-twice.ts'
import { type LookAgainDependencies, type LookedAgain, lookAgain } from '../../domain/recheck/recheck.ts'
import { type DueLook, lookOf, notLookedSince } from '../../domain/recheck/schedule.ts'
import { createGuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { PageReaders } from '../../domain/review/page-parser/parser-pool.ts'
import { chosenReviewers } from '../../domain/review/reviewers/chosen-reviewers.ts'
import { createPictureLoader } from '../../domain/review/reviewers/load-picture.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { Links } from '../../platform/http/links.ts'
import { VERSION } from '../../platform/lib/package.ts'
import { type Command, readLimit, UsageError, withStore } from './command.ts'
import { inWords } from './findings.ts'

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
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  const { dnsServers, connectTo } = config
  const readers = new PageReaders({ limits: LOOK_READER_LIMITS })
  const reviewers = await chosenReviewers(config, store, createPictureLoader(config, links)).open()
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const deps: LookAgainDependencies = {
    store,
    clock: Date.now,
    readers,
    reviewers,
    fetcher: createGuardedFetcher({
      dnsServers,
      connectTo,
      links,
      version: VERSION,
      limits: LOOK_FETCH_LIMITS,
    }),
  }
  const look = async (due: DueLook) => {
    const looked = await lookAgain(deps, due, stopping.signal)
    if (looked && !stopping.signal.aborted) showLook(looked, json)
    return looked
  }
  try {
    if (slug === undefined) return await lookAtAll(deps, count, look, stopping.signal)
    const due = await lookOf(store, { slug })
    if (!due[0]) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
    if (!(await look(due[0]))) throw new Error(`${slug} is not shown, or is being rechecked`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await readers.close()
    await reviewers.close()
  }
}

async function lookAtAll(
  { store, clock }: LookAgainDependencies,
  count: number,
  look: (due: DueLook) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const before = clock()
  let done = 0
  while (done < count && !signal.aborted) {
    const batch = await notLookedSince(store, { before, now: clock(), limit: Math.min(BATCH, count - done) })
    if (batch.length === 0) break
    for (const due of batch) {
      if (signal.aborted) break
      await look(due)
      done++
    }
  }
  console.error(`placard: ${signal.aborted ? 'stopped after' : 'rechecked'} ${done} ${done === 1 ? 'page' : 'pages'}`)
}

export const reviewAgain: Command = {
  name: 'review-again',
  usage: 'SLUG|--all [--limit N]',
  does: 'recheck listed pages now, those that waited longest first',
  words: 1,
  options: ['all', 'limit', 'json'],
  async run({ all, limit = '999999', json = false }, slug) {
    if ((slug === undefined) !== (all === true)) {
      throw new UsageError('review-again needs the slug of a listing, or --all')
    }
    const count = readLimit({ limit })
    await withStore((store, config) => recheckAndPrint(store, config, { slug, count, json }))
  },
}

function showLook(looked: LookedAgain, asJson: boolean): void {
  if (asJson) return void console.log(JSON.stringify(looked))
  if ('unsure' in looked) return void console.log(`${looked.slug}  could not be rechecked: ${looked.unsure}`)
  const { slug, verdict, findings, hidden } = looked
  console.log(`${slug}  ${verdict.replace('_', ' ')}${hidden ? ', and hidden' : ''}`)
  for (const { kind, evidence } of findings) console.log(`    ${kind}: ${inWords(evidence)}`)
}
