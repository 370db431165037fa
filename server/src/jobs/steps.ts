import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { lookAtDue } from '../continuity/continuity.ts'
import { LOOK_READER_LIMITS } from '../continuity/look.ts'
import { chainDecisions } from '../decisions/chain.ts'
import { Changes, tagsOf } from '../edge/changes.ts'
import type { Purger } from '../edge/purger.ts'
import { TAGS } from '../edge/tags.ts'
import type { GuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import type { Links } from '../http/links.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import { ChangedBoards } from '../notices/changed-boards.ts'
import { checkPages } from '../notices/check-pages.ts'
import { compareFollowed } from '../notices/compare-followed.ts'
import { deliverDue } from '../notices/deliver.ts'
import { tellEnds } from '../notices/tell-ends.ts'
import { PictureWorker } from '../pictures/worker.ts'
import { deleteOld, runToEnd } from '../retention/delete-old.ts'
import { PageReaders } from '../review/page-readers.ts'
import type { Reviewers } from '../review/reviewers.ts'
import { renewEntries } from '../search/renew-entries.ts'
import { type Channel, channelsOf } from '../telling/channels.ts'
import { Telling } from '../telling/telling.ts'
import type { Step } from './job.ts'
import type { KindName } from './kinds.ts'

/** It reads all that is followed. */
const TELL_ENDS_EVERY_MS = 60_000

interface StepDependencies {
  config: Pick<Config, 'looksPerHour' | 'telling'>
  clock: () => number
  log: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn'>
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
    chain: async ({ store, signal }) => void (await chainDecisions(store, signal)),
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
    notices: ({ store, signal }) => deliverDue({ ...deps, store, fetcher: fetchers.webhooks }, signal),
    pages: ({ store, signal }) => checkPages({ store, clock, fetcher: fetchers.followed }, signal),
    pictures: ({ store, signal }) => pictures.fetchDue(store, signal),
    async purge({ store, isFirst }) {
      if (isFirst) changes = new Changes()
      const changed = await changes.look(store)
      // Nobody knows what the process before has still told.
      purger?.add(isFirst ? [TAGS.site] : tagsOf(changed))
    },
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
