import { readHost } from '../destinations/read-host.ts'
import { block as blockHost, unblock as endBlock, showBlocks } from '../moderation/block-commands.ts'
import { asJson, type Command, needWord, readLimit, readName, readReason, UsageError } from './command.ts'
import { groundFrom } from './moderate.ts'
import { linksOf, settingsOfService, withStore } from './with-store.ts'

export const block: Command = {
  name: 'block',
  usage: 'HOST --reason TEXT',
  does: 'list no page of a host; --subdomains: nor of those below it; --hide-listings: hide what is listed',
  words: 1,
  options: ['reason', 'subdomains', 'hide-listings', 'as', 'ground', 'json'],
  async run(given, word) {
    const host = hostFrom('block', word)
    const { subdomains = false, 'hide-listings': hide = false } = given
    const { ground } = groundFrom(given)
    const wanted = { reason: readReason('block', given), name: readName(given), ground, hide }
    await withStore(store => blockHost(store, { host, subdomains }, wanted, asJson(given)))
  },
}

export const unblock: Command = {
  name: 'unblock',
  usage: 'HOST --reason TEXT',
  does: 'list pages of a host again',
  words: 1,
  options: ['reason', 'as', 'json'],
  async run(given, word) {
    const host = hostFrom('unblock', word)
    const by = { reason: readReason('unblock', given), name: readName(given) }
    await withStore(store => endBlock(store, host, by, asJson(given)))
  },
}

export const blocks: Command = {
  name: 'blocks',
  usage: '[--all] [--limit N]',
  does: 'blocked hosts, newest first; --all: and those that once were',
  options: ['all', 'limit', 'json'],
  async run(given) {
    const count = readLimit(given)
    await withStore(store => showBlocks(store, count, given.all === true, asJson(given)))
  },
}

/** @throws UsageError for what is no host of anybody else's */
function hostFrom(command: string, word: string | undefined): string {
  const raw = needWord(command, 'a host, such as evil.com', word)
  const read = readHost(raw, linksOf(settingsOfService()).hostname)
  if ('problem' in read) throw new UsageError(`"${raw}" ${read.problem}`)
  return read.host
}
