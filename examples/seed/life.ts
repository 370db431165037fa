import { PlacardClient } from 'placard-agent'
import { fileStore } from 'placard-agent/file-store'
import { drawToday } from '../../server/dist/domain/featured/draw.js'
import { featureListing } from '../../server/dist/domain/featured/feature.js'
import { hideListing } from '../../server/dist/domain/moderation/moderate.js'
import { openReports } from '../../server/dist/domain/moderation/reports.js'
import { settleReport } from '../../server/dist/domain/moderation/settle-reports.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import type { RunningService } from '../../server/dist/start.js'
import { buy } from './buy.ts'
import type { Website } from './listings.ts'
import { makePictures } from './pictures.ts'
import type { PlannedPayment } from './plan.ts'
import type { Random } from './random.ts'
import type { SeedReport } from './reports.ts'
import { lookAround } from './views.ts'
import { Visitor } from './visitor.ts'

interface World {
  service: RunningService
  store: Store
  /** The service's clock, in Unix milliseconds. */
  clock: { readonly now: number }
  /** Gives everything so far its entries in the public log. */
  writeLog: () => Promise<void>
  /** File for the agent's journal. */
  journalPath: string
}

/** Everything that happens on the board, done as in real life: over HTTP, or by the operator's functions. */
export class Life {
  readonly #service: RunningService
  readonly #store: Store
  readonly #clock: World['clock']
  readonly #writeLog: World['writeLog']
  readonly #address: string
  readonly #agent: PlacardClient
  /** Slugs by host, once published. */
  readonly #slugs = new Map<string, string>()
  readonly #privateLinks = new Map<string, string>()
  /** Each destination's total on a board, in whole US dollars. */
  readonly #totalsUsd = new Map<string, number>()
  readonly #paymentPages = new Map<PlannedPayment, { page: string; person: Visitor }>()
  #people = 0

  constructor({ service, store, clock, writeLog, journalPath }: World) {
    this.#service = service
    this.#store = store
    this.#clock = clock
    this.#writeLog = writeLog
    this.#address = `http://127.0.0.1:${service.port}`
    this.#agent = new PlacardClient({ service: this.#address, store: fileStore(journalPath) })
  }

  /** Private links of published listings, by host. */
  get privateLinks(): ReadonlyMap<string, string> {
    return this.#privateLinks
  }

  async publish({ host, category }: Website): Promise<void> {
    const destination = `http://${host}/`
    const { receipt, privateLink } = await this.#agent.publish({ destination, category, userApproved: true })
    this.#slugs.set(host, new URL(receipt.productUrl).pathname.split('/').at(-1) ?? '')
    this.#privateLinks.set(host, privateLink?.reveal() ?? '')
    await makePictures(this.#store, this.#clock.now)
  }

  async pay(payment: PlannedPayment): Promise<void> {
    const { website, board, amountUsd } = payment
    const person = this.#newVisitor()
    const day = new Date(this.#clock.now).toISOString().slice(0, 10)
    const before = this.#totalsUsd.get(`${board === 'all' ? 'all' : day} ${website.host}`) ?? 0
    const page = await buy(this.#agent, person, payment, {
      privateLink: this.#privateLinks.get(website.host) ?? '',
      targetBid: before + amountUsd,
    })
    this.#paymentPages.set(payment, { page, person })
    for (const each of ['all', day]) {
      const key = `${each} ${website.host}`
      this.#totalsUsd.set(key, (this.#totalsUsd.get(key) ?? 0) + amountUsd)
    }
  }

  /** Refunds or disputes a payment. */
  async undo(payment: PlannedPayment, act: string): Promise<void> {
    const paid = this.#paymentPages.get(payment)
    await paid?.person.send(paid.page, { act, amount: String(Math.ceil(payment.amountUsd / 2)) })
  }

  async report({ host }: Website, { reason, details, contact = '' }: SeedReport): Promise<void> {
    const fields = { reason, details, contact }
    await this.#newVisitor().send(`/product/${this.#slugs.get(host)}/report`, fields)
  }

  /** Settles a listing's oldest report, as the operator would. */
  async settle({ host }: Website, { settlement, isHidden }: SeedReport): Promise<void> {
    if (!settlement) return
    const slug = this.#slugs.get(host) ?? ''
    const { now } = this.#clock
    const report = (await openReports(this.#store, 100)).find(open => open.slug === slug)
    if (isHidden) await hideListing(this.#store, slug, settlement, now)
    if (report) await settleReport(this.#store, report.id, settlement, now)
  }

  /** Draws by lot for the day that begins, as the service does right after midnight. */
  async draw(): Promise<void> {
    await this.#writeLog()
    if (!(await drawToday(this.#store, this.#clock.now))) throw new Error('a draw found an unfinished log')
  }

  /** Picks a listing, as the operator would. */
  async pick({ host }: Website, by: { name: string; words: string }): Promise<void> {
    await featureListing(this.#store, 'pick', this.#slugs.get(host) ?? '', { ...by, at: this.#clock.now })
  }

  /** @param websites most popular first */
  async look(websites: readonly Website[], random: Random): Promise<void> {
    const slugs = websites.flatMap(({ host }) => this.#slugs.get(host) ?? [])
    await lookAround(this.#service, slugs, new Date(this.#clock.now), random)
  }

  /** Opening a board makes the service remember its places, to show movement later. */
  async openBoards(): Promise<void> {
    for (const board of ['all', 'today']) await this.#newVisitor().open(`/board/${board}`)
  }

  #newVisitor(): Visitor {
    this.#people++
    return new Visitor(this.#address, `198.51.${this.#people >> 8}.${this.#people & 255}`)
  }
}
