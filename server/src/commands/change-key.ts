import { changeKey as change } from '../keys/change-key.ts'
import type { Command } from './command.ts'
import { withStore } from './with-store.ts'

export const changeKey: Command = {
  name: 'change-key',
  usage: '[--lost]',
  does: 'make a new service key and keep the old ones; --lost: continue without lost keys',
  options: ['lost'],
  run: ({ lost = false }) => withStore((store, config) => change(store, config, lost), { anyKey: true }),
}
