import { settleOne, showFindings } from '../continuity/commands.ts'
import { asJson, type Command, readLimit, readName, readReason, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

export const findings: Command = {
  name: 'findings',
  usage: '[--limit N]',
  does: 'what there is to see about listed pages, oldest first',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showFindings(store, count, asJson(given)))
  },
}

export const settleFinding: Command = {
  name: 'settle-finding',
  usage: 'ID --reason TEXT',
  does: 'close a finding, saying what you did about it',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, id = '') {
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('settle-finding needs the number of a finding')
    const reason = readReason('settle-finding', given)
    const name = readName(given)
    await withStore(store => settleOne(store, Number(id), reason, name, asJson(given)))
  },
}

export const reviewAgain: Command = {
  name: 'review-again',
  usage: 'SLUG|--all [--limit N]',
  does: 'read listed pages again now, those that waited longest first',
  words: 1,
  options: ['all', 'limit', 'json'],
  async run({ all, limit = '999999', json = false }, slug) {
    if ((slug === undefined) !== (all === true)) {
      throw new UsageError('review-again needs the slug of a listing, or --all')
    }
    const count = readLimit({ limit })
    // Only this command reads pages.
    const { reviewAgain: review } = await import('../continuity/review-again.ts')
    await withStore((store, config) => review(store, config, { slug, count, json }))
  },
}
