import { BOARDS } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { type BoardEntry, readBoard } from '../domain/boards/board.ts'
import type { Standings } from '../domain/boards/standings.ts'
import { findProduct } from '../domain/listings/listing.ts'
import type { Drawing } from '../domain/pictures/drawing.ts'
import { StorageAway } from '../domain/pictures/storage.ts'
import { Repeated } from '../platform/lib/repeat.ts'
import { utcDay } from '../platform/lib/time.ts'
import { boardDrawing } from './boards/share.ts'
import { readShareDrawing, shareDrawing } from './listing/share.tsx'
import type { Needs } from './ui/page-parts.ts'
import { siteDrawing } from './ui/share-picture.tsx'

type AheadDependencies = Needs<'drawn' | 'stored' | 'links' | 'store' | 'clock'>

/** How many places of each board have their picture drawn ahead: those that are shared most. */
const PLACES_AHEAD = 50
/** How many failed drawings to remember. These are not retried. */
const FAILED_MAX = 1000

/** How soon the pictures of changed places are drawn. Reading both boards takes less than a millisecond. */
const PLACES_EVERY_MS = 5000

/** Draws ahead until the service closes. */
export function startDrawingAhead(app: FastifyInstance, deps: AheadDependencies): DrawAhead {
  const failed = (err: unknown) => app.log.info({ err }, 'could not draw a picture ahead')
  const ahead = new DrawAhead(deps, failed)
  const places = new Repeated(() => ahead.places(), failed)
  app.addHook('onListen', async () => {
    places.start(PLACES_EVERY_MS)
    void places.run()
  })
  // Hooks of `onClose` run in reverse order: the one that closes the store, which is added later, would come first.
  app.addHook('preClose', () => {
    ahead.stop()
    return places.close()
  })
  return ahead
}

/**
 * Draws share pictures in advance: of a listing when it is published and when its owner's pages show it, of the site,
 * and of the paid places. They are ready however many other pictures are requested.
 */
export class DrawAhead {
  readonly #deps: AheadDependencies
  readonly #failed: (error: unknown) => void
  readonly #failedDrawings = new Set<string>()
  #isStopped = false

  /** @param failed called if a picture could not be drawn */
  constructor(deps: AheadDependencies, failed: (error: unknown) => void) {
    this.#deps = deps
    this.#failed = failed
  }

  /** Starts no more drawings. */
  stop(): void {
    this.#isStopped = true
  }

  /** Draws the picture of a listing. Never throws. */
  async listing(slug: string): Promise<void> {
    if (this.#isStopped) return
    const { store, links, clock } = this.#deps
    try {
      const product = await findProduct(store, slug)
      if (!product) return
      const drawing = await readShareDrawing(store, product, links.site, clock())
      await this.#draw(drawing, slug)
    } catch (error) {
      this.#failed(error)
    }
  }

  /**
   * Draws the missing pictures of the site, of both boards and of their first places. That of the site comes first and
   * needs no database, so the process that draws has started before a visitor needs it.
   *
   * @throws if the boards cannot be read
   */
  async places(): Promise<void> {
    const { store, links, clock } = this.#deps
    const { site } = links
    const now = clock()
    await this.#draw(siteDrawing(site))
    const boards = await Promise.all(
      BOARDS.map(async board => {
        const { rows } = await readBoard(store, { board, limit: PLACES_AHEAD }, now)
        return { board, entries: rows }
      }),
    )
    const placed = new Map<string, { entry: BoardEntry; standings: Standings }>()
    for (const { board, entries } of boards) {
      // Without places, the picture shows only a price, and is rarely shared.
      if (entries.length > 0) await this.#draw(boardDrawing(board, { places: entries, site, now }))
      for (const entry of entries) {
        const { standings } = placed.get(entry.slug) ?? {}
        placed.set(entry.slug, { entry, standings: { ...standings, [board]: entry } })
      }
    }
    for (const { entry, standings } of placed.values()) {
      const drawing = shareDrawing({ ...entry, expiresAt: null }, { standings, today: utcDay(now) }, site)
      await this.#draw(drawing, entry.slug)
    }
  }

  /** @param slug of the listing whose stored picture may be in it */
  async #draw(drawing: Drawing, slug?: string): Promise<void> {
    const { drawn, store, stored } = this.#deps
    const text = JSON.stringify(drawing)
    if (this.#isStopped || this.#failedDrawings.has(text)) return
    const load = async () => {
      const product = slug === undefined ? undefined : await findProduct(store, slug)
      return product ? stored.find(product.id) : null
    }
    await drawn.drawAhead(drawing, load).catch(error => {
      if (!(error instanceof StorageAway) && this.#failedDrawings.size < FAILED_MAX) this.#failedDrawings.add(text)
      this.#failed(error)
    })
  }
}
