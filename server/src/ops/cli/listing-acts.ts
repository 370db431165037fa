import { DISPLAY_DAYS } from '@placard/contract'
import { chosenGround, type GroundId } from '../../domain/decisions/grounds.ts'
import { statusOf } from '../../domain/listings/listing.ts'
import { endListing, extendListing, NOT_CHANGED, type TermChanged } from '../../domain/moderation/end-dates.ts'
import { hideListing, type Moderated, restoreListing } from '../../domain/moderation/moderate.ts'
import { endsWithLink } from '../../domain/notifications/owner/new-owner.ts'
import { ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink as reissue } from '../../domain/ownership/renew-link.ts'
import { requireSigningKey } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { type CommandOutput, decisionCommand, noListing, type OptionValues, UsageError } from './command.ts'
import { factsOf } from './listings.ts'
import { linksOf } from './with-store.ts'

export const hide = decisionCommand({
  name: 'hide',
  does: 'hide a listing; --ground law/illegal-content: because the law requires it',
  options: ['ground'],
  more: groundFrom,
  async act(store, { subject: slug, reason, actor, now }, ground) {
    const done = await hideListing(store, slug, reason, now, { actor, ground })
    const isWithdrawn = done?.listing.hiddenBy === 'owner'
    return moderated(slug, isWithdrawn ? WITHDRAWN : 'was already hidden', done)
  },
})

const WITHDRAWN =
  'was withdrawn by its owner, who can show it again if the website is proved and passes review; "block" prevents that'

export const restore = decisionCommand({
  name: 'restore',
  does: 'show a hidden listing again, or give an ended one a new term',
  act: async (store, { subject: slug, reason, actor, now }) =>
    moderated(slug, 'was neither hidden nor ended', await restoreListing(store, slug, reason, now, { actor })),
})

function moderated(slug: string, unchanged: string, done: Moderated | undefined): CommandOutput {
  const { listing, changed } = done ?? noListing(slug)
  const status = statusOf(listing, Date.now())
  const text = `${slug} ${changed ? 'is now' : `${unchanged}; it is`} ${status}.`
  return [{ ...factsOf({ ...listing, status }), changed }, text]
}

/** Returns the ground of `--ground`. @throws UsageError if there is no such ground */
export function groundFrom({ ground: id }: OptionValues): GroundId | undefined {
  const ground = chosenGround(id)
  if (ground || id === undefined) return ground
  throw new UsageError('--ground must be rules/content, law/illegal-content or law/notice')
}

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
  does: `show a free listing for ${DISPLAY_DAYS} days from now; --days: for fewer days`,
  options: ['days'],
  more: readDays,
  act: async (store, { subject: slug, reason, actor, now }, days) =>
    newTerm(slug, await extendListing(store, slug, days, reason, now, { actor })),
})

function readDays({ days = String(DISPLAY_DAYS) }: OptionValues): number {
  const count = /^\d{1,2}$/.test(days) ? Number(days) : 0
  if (count >= 1 && count <= DISPLAY_DAYS) return count
  throw new UsageError(`--days must be a whole number from 1 to ${DISPLAY_DAYS}`)
}

/** @throws Error if there is no such listing, or its end cannot change */
function newTerm(slug: string, done: TermChanged | undefined): CommandOutput {
  const { listing, why, before, changed } = done ?? noListing(slug)
  const { expiresAt } = listing
  if (why === 'ended') return [{ slug, expiresAt: before, before, changed }, `${slug} ${NOT_CHANGED.ended}.`]
  if (why) throw new Error(`${slug} ${NOT_CHANGED[why]}`)
  const text = `${slug} now ends ${utcMinute(expiresAt ?? 0)} UTC; before, ${utcMinute(before ?? 0)} UTC.`
  return [{ slug, expiresAt, before, changed }, text]
}

export const reissueLink = decisionCommand({
  name: 'reissue-link',
  does: 'replace a lost private link, and print the new one once',
  async act(store, { subject: slug, reason: explanation, name, now }, _, config) {
    const newest = await requireSigningKey(store.db, config)
    const reissued = await reissue(store, slug, newest, { explanation, name }, now, endsWithLink({ newest }))
    if ('refused' in reissued) {
      if (reissued.refused === 'no_listing') noListing(slug)
      throw new Error(`${slug}: ${NOT_REISSUED[reissued.refused]}`)
    }
    const { link, token } = reissued
    const privateLink = linksOf(config).privateLink(link.claimId, ownerTokenText(token))
    const advice = `This link opens the private page of ${slug}, and the old link no longer works. Give it only to the owner. It is not shown again.`
    return [{ slug, privateLink }, `${privateLink}\n${advice}`]
  },
})
