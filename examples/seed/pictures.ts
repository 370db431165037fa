import { makePicture } from '../../server/dist/domain/pictures/resize-image.js'
import { duePictures, leasePicture, settlePicture } from '../../server/dist/ops/jobs/fetch-pictures.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import { draw } from './drawing.ts'
import { websiteOf } from './websites.ts'

/**
 * Makes the due pictures in this process. The service's worker makes each in a separate process, as strangers' pictures
 * require, but these are ours.
 *
 * @param now Unix milliseconds
 */
export async function makePictures(store: Store, now: number): Promise<void> {
  for (;;) {
    const due = await duePictures(store, { now })
    if (due.length === 0) return
    await Promise.all(due.map(wanted => makeOne(store, wanted, now)))
  }
}

async function makeOne(store: Store, wanted: Parameters<typeof leasePicture>[1], now: number): Promise<void> {
  const claim = await leasePicture(store, wanted, now)
  const website = claim && websiteOf(new URL(claim.sourceUrl ?? '').hostname)
  if (website) await settlePicture(store, claim, await makePicture(await draw(website)), now)
}
