import { showListings } from '../moderation/listing-commands.ts'
import { type Command, readLimit } from './command.ts'
import { withStore } from './with-store.ts'

export const list: Command = {
  name: 'list',
  usage: '[--limit N]',
  does: 'the newest listings, of any status',
  options: ['limit'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showListings(store, count))
  },
}
