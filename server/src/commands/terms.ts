import { DISPLAY_DAYS } from '@placard/contract'
import { operatorNamed } from '../decisions/record.ts'
import { showTerm } from '../moderation/term-commands.ts'
import { endListing, extendListing } from '../moderation/terms.ts'
import { asJson, type Command, type Given, needWord, readName, readReason, UsageError } from './command.ts'
import { groundFrom } from './moderate.ts'
import { withStore } from './with-store.ts'

const A_SLUG = "the slug: the last part of the product page's address"

export const end: Command = {
  name: 'end',
  usage: 'SLUG --reason TEXT',
  does: 'end a free listing now; its owner can contest it',
  words: 1,
  options: ['reason', 'as', 'ground', 'json'],
  async run(given, word) {
    const slug = needWord('end', A_SLUG, word)
    const reason = readReason('end', given)
    const { ground } = groundFrom(given)
    const by = { actor: operatorNamed(readName(given)), ground }
    await withStore(store => showTerm(slug, endListing(store, slug, reason, Date.now(), by), asJson(given)))
  },
}

export const extend: Command = {
  name: 'extend',
  usage: 'SLUG --reason TEXT [--days N]',
  does: `give a free listing ${DISPLAY_DAYS} days from now, or fewer`,
  words: 1,
  options: ['reason', 'days', 'as', 'json'],
  async run(given, word) {
    const slug = needWord('extend', A_SLUG, word)
    const reason = readReason('extend', given)
    const days = readDays(given)
    const by = { actor: operatorNamed(readName(given)) }
    await withStore(store =>
      showTerm(slug, extendListing(store, slug, days, reason, Date.now(), by), asJson(given)),
    )
  },
}

/** @throws UsageError if it is no number of days, or more than a listing gets */
function readDays({ days = String(DISPLAY_DAYS) }: Given): number {
  const count = /^\d{1,2}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > DISPLAY_DAYS) {
    throw new UsageError(`--days must be a whole number from 1 to ${DISPLAY_DAYS}`)
  }
  return count
}
