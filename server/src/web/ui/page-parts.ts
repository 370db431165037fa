import type { Check, CheckBody, PublishBody } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StaleCache } from '../../domain/boards/first-page.ts'
import { BoardMarks } from '../../domain/boards/movement.ts'
import type { CheckoutDependencies } from '../../domain/checkout/place-order.ts'
import { type CategoryCounts, categoryCounts } from '../../domain/listings/category-counts.ts'
import type { Traffic } from '../../domain/listings/traffic.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import { OwnershipPasses, Sessions } from '../../domain/ownership/signed-cookies.ts'
import { type CheckSiteProof, SiteProofs } from '../../domain/ownership/site-proof.ts'
import type { StripeAccount } from '../../domain/payments/stripe.ts'
import type { DrawnPictures } from '../../domain/pictures/drawn-pictures.ts'
import type { StoredPictures } from '../../domain/pictures/storage.ts'
import type { Submission } from '../../domain/publishing/submission.ts'
import type { FetchPage } from '../../domain/review/page.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import type { Allowance } from '../../platform/http/rate-limits/rate-limit.ts'
import { BrowserProofs } from './site-proof.tsx'

/** The check and the publish of the API, for people: the same review, quotas, decisions and records. */
export interface SelfListing {
  check(body: CheckBody, request: FastifyRequest): Promise<Check>
  publish(submission: Submission, body: PublishBody, request: FastifyRequest): Promise<{ published: { slug: string } }>
}

/** What the service passes to the pages. */
export interface PageDependencies extends Omit<CheckoutDependencies, 'stripe'>, SelfListing {
  /** Undefined if no processor is set up. */
  stripe: StripeAccount | undefined
  serviceKeys: ServiceKeys
  checkSiteProof: CheckSiteProof
  /** For refreshes, so that publishing never waits for them. */
  fetchPageAgain: FetchPage
  traffic: Traffic
  allowances: Allowances
  staleCache: StaleCache
  searchAllowance: Allowance
  limits: Config['limits']
  config: Pick<Config, 'log'>
  drawn: DrawnPictures
  stored: StoredPictures
  /** Begins to draw the share picture of a listing, for a page that shows it. Never throws. */
  drawListing: (slug: string) => void
  submissionsEndAt: number | undefined
}

/** What pages can use: what the service passes to them, and the parts that pages share. */
interface PageParts extends PageDependencies {
  marks: BoardMarks
  counts: (now: number) => Promise<CategoryCounts>
  sessions: Sessions
  passes: OwnershipPasses
  proofs: BrowserProofs
}

/** Creates the parts that pages share. */
export function pageParts(app: FastifyInstance, given: PageDependencies): PageParts {
  const { store, serviceKeys } = given
  const marks = new BoardMarks(store, err => app.log.warn({ err }, 'could not remember the places of a board'))
  app.addHook('onClose', () => marks.settled())
  return {
    ...given,
    marks,
    counts: categoryCounts(store),
    sessions: new Sessions(serviceKeys),
    passes: new OwnershipPasses(serviceKeys),
    proofs: new BrowserProofs({ ...given, siteProofs: new SiteProofs(serviceKeys) }),
  }
}

/** The parts that a page uses. */
export type Needs<Part extends keyof PageParts> = Pick<PageParts, Part>
