import { CATEGORIES, DISPLAY_DAYS } from '@placard/contract'
import { searchText } from '../server/dist/domain/search/entries.js'
import {
  fillStore,
  insertAll,
  insertPlaces,
  keyOf,
  nameOf,
  placesOf,
  type Row,
  randomNumbers,
} from './fill-board.ts'

/** A database in a folder, with listings. */
export interface FilledListings {
  dataDir: string
  count: number
  /** Slugs of some published, unpaid listings. */
  slugs: string[]
}

const DAY_MS = 24 * 60 * 60 * 1000
const SPAN_DAYS = 90
const PAID_SHARE = 1 / 50
/** As many are published among 1,000, so that both sizes ask for as many pages, and find them rendered. */
const SLUGS_MAX = 600

/**
 * Makes a database like the one 90 days of publishing leave: all categories, a third expired, one in fifty with
 * verified money and so without an end. No pictures: each card shows a drawn placard.
 */
export async function fillListings(dataDir: string, count: number): Promise<FilledListings> {
  const now = Date.now()
  const places = placesOf(count * PAID_SHARE)
  const slugs: string[] = []
  await fillStore(dataDir, db => {
    insertAll(db, LISTING, listings())
    insertPlaces(db, places)
  })
  return { dataDir, count, slugs }

  function* listings(): Generator<Row> {
    const random = randomNumbers()
    for (let index = 0; index < count; index++) {
      const publishedAt = now - Math.floor(SPAN_DAYS * DAY_MS * random())
      const isPaid = index < places.length
      const expiresAt = isPaid ? null : publishedAt + DISPLAY_DAYS * DAY_MS
      const isOnShow = expiresAt !== null && expiresAt > now + DAY_MS
      if (isOnShow && slugs.length < SLUGS_MAX) slugs.push(slugOf(index))
      const category = CATEGORIES[Math.floor(CATEGORIES.length * random())] ?? 'Games'
      const name = nameOf(index)
      const site = [slugOf(index), keyOf(index), `https://${name}.com/`, `${name}.com`, category]
      const title = `The page of ${name}`
      const words = searchText({
        title,
        description: DESCRIPTION,
        hostname: `${name}.com`,
        category,
        language: 'en',
      })
      yield [...site, title, DESCRIPTION, name, 'en', publishedAt, expiresAt, words]
    }
  }
}

const slugOf = (index: number) => `${nameOf(index)}-com`

const LISTING = `listing (slug, destinationKey, url, hostname, category, title, description, siteName, language,
  publishedAt, expiresAt, searchText)`

/** Of typical length. */
const DESCRIPTION =
  'Sourdough, rye and Saturday cinnamon rolls, baked by hand in the old mill by the river, and sent anywhere in a day.'
