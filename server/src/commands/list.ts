import { showListings } from '../moderation/listing-commands.ts'
import { asJson, type Command, readLimit } from './command.ts'
import { withStore } from './with-store.ts'

export const list: Command = {
  name: 'list',
  usage: '[--limit N]',
  does: 'the newest listings, of any status',
  options: ['limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showListings(store, count, asJson(given)))
  },
}
