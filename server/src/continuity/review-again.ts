import type { Config } from '../config.ts'
import { createGuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import { Links } from '../http/links.ts'
import { chosenReviewers } from '../review/online/chosen-reviewers.ts'
import { PageReaders } from '../review/page-readers.ts'
import type { Store } from '../storage/store.ts'
import { VERSION } from '../version.ts'
import { showLook } from './commands.ts'
import { LOOK_FETCH_LIMITS, LOOK_READER_LIMITS } from './look.ts'
import { type LookAgainDependencies, lookAgain } from './look-again.ts'
import { type DueLook, lookOf, notLookedSince } from './seen-page.ts'

const BATCH = 16

/**
 * Reads one listing's page again, or those of all, one after another, and prints what came of each. It does what the
 * service does on its own. A signal ends it after the page under way; the next run goes on with those it has not read.
 *
 * @throws Error if the listing is not shown
 */
export async function reviewAgain(
  store: Store,
  config: Config,
  { slug, count, json }: { slug: string | undefined; count: number; json: boolean },
): Promise<void> {
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  const { dnsServers, connectTo } = config
  const readers = new PageReaders({ limits: LOOK_READER_LIMITS })
  const reviewers = await chosenReviewers(config, store).open()
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const deps: LookAgainDependencies = {
    ...{ store, clock: Date.now, readers, reviewers },
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
    if (!(await look(due[0]))) throw new Error(`${slug} is not shown, or is being looked at`)
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
  console.error(
    `placard: ${signal.aborted ? 'stopped after' : 'looked at'} ${done} ${done === 1 ? 'page' : 'pages'}`,
  )
}
