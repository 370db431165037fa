import { DISPLAY_DAYS } from '@placard/contract'
import { operatorNamed } from '../../domain/decisions/record.ts'
import { endListing, extendListing, NOT_CHANGED, type TermChanged } from '../../domain/moderation/end-dates.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, type Given, needSlug, readName, readReason, UsageError, withStore } from './command.ts'
import { groundFrom } from './hide-restore.ts'

export const end: Command = {
  name: 'end',
  usage: 'SLUG --reason TEXT',
  does: 'end a free listing now; its owner can appeal',
  words: 1,
  options: ['reason', 'as', 'ground'],
  async run(given, word) {
    const slug = needSlug('end', word)
    const reason = readReason('end', given)
    const { ground } = groundFrom(given)
    const by = { actor: operatorNamed(readName(given)), ground }
    await withStore(store => showTerm(slug, endListing(store, slug, reason, Date.now(), by), asJson(given)))
  },
}

export const extend: Command = {
  name: 'extend',
  usage: 'SLUG --reason TEXT [--days N]',
  does: `show a free listing for ${DISPLAY_DAYS} days from now, or for fewer`,
  words: 1,
  options: ['reason', 'days', 'as'],
  async run(given, word) {
    const slug = needSlug('extend', word)
    const reason = readReason('extend', given)
    const days = readDays(given)
    const by = { actor: operatorNamed(readName(given)) }
    await withStore(store => showTerm(slug, extendListing(store, slug, days, reason, Date.now(), by), asJson(given)))
  },
}

/** Returns the number of `--days`. @throws UsageError if it is invalid */
function readDays({ days = String(DISPLAY_DAYS) }: Given): number {
  const count = /^\d{1,2}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > DISPLAY_DAYS) {
    throw new UsageError(`--days must be a whole number from 1 to ${DISPLAY_DAYS}`)
  }
  return count
}

/** Prints the new end of a listing. @throws Error if there is no such listing, or its end cannot change */
async function showTerm(slug: string, changed: Promise<TermChanged | undefined>, asJson: boolean): Promise<void> {
  const done = await changed
  if (!done) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const { listing, why, before } = done
  if (why === 'ended') {
    if (asJson) return void console.log(JSON.stringify({ slug, expiresAt: before, before, changed: false }))
    return void console.log(`${slug} ${NOT_CHANGED.ended}.`)
  }
  if (why) throw new Error(`${slug} ${NOT_CHANGED[why]}`)
  const { expiresAt } = listing
  if (asJson) return void console.log(JSON.stringify({ slug, expiresAt, before, changed: done.changed }))
  console.log(`${slug} now ends ${utcMinute(expiresAt ?? 0)} UTC; before, ${utcMinute(before ?? 0)} UTC.`)
}
