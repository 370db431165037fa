import { DISPLAY_DAYS } from '@placard/contract'
import { endListing, extendListing, NOT_CHANGED, type TermChanged } from '../../domain/moderation/end-dates.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { decisionCommand, type Given, noListing, type Said, UsageError } from './command.ts'
import { groundFrom } from './hide-restore.ts'

export const end = decisionCommand({
  name: 'end',
  does: 'end a free listing now; its owner can appeal',
  options: ['ground'],
  more: groundFrom,
  act: async (store, { subject: slug, reason, actor, now }, ground) =>
    newTerm(slug, await endListing(store, slug, reason, now, { actor, ground })),
})

export const extend = decisionCommand({
  name: 'extend',
  usage: 'SLUG --reason TEXT [--days N]',
  does: `show a free listing for ${DISPLAY_DAYS} days from now, or for fewer`,
  options: ['days'],
  more: readDays,
  act: async (store, { subject: slug, reason, actor, now }, days) =>
    newTerm(slug, await extendListing(store, slug, days, reason, now, { actor })),
})

function readDays({ days = String(DISPLAY_DAYS) }: Given): number {
  const count = /^\d{1,2}$/.test(days) ? Number(days) : 0
  if (count >= 1 && count <= DISPLAY_DAYS) return count
  throw new UsageError(`--days must be a whole number from 1 to ${DISPLAY_DAYS}`)
}

/** @throws Error if there is no such listing, or its end cannot change */
function newTerm(slug: string, done: TermChanged | undefined): Said {
  const { listing, why, before, changed } = done ?? noListing(slug)
  const { expiresAt } = listing
  if (why === 'ended') return [{ slug, expiresAt: before, before, changed }, `${slug} ${NOT_CHANGED.ended}.`]
  if (why) throw new Error(`${slug} ${NOT_CHANGED[why]}`)
  const text = `${slug} now ends ${utcMinute(expiresAt ?? 0)} UTC; before, ${utcMinute(before ?? 0)} UTC.`
  return [{ slug, expiresAt, before, changed }, text]
}
