import type { GroundId } from '../../domain/decisions/grounds.ts'
import { operatorNamed } from '../../domain/decisions/record.ts'
import { hideListing, listingsOfHost } from '../../domain/moderation/moderate.ts'
import {
  blockHost,
  type HostRange,
  listBlocks,
  rangeText,
  unblockHost,
} from '../../domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, needHost, printItems, readLimit, readName, readReason, withStore } from './command.ts'
import { groundFrom } from './hide-restore.ts'

export const block: Command = {
  name: 'block',
  usage: 'HOST --reason TEXT',
  does: 'block a host; --subdomains: also its subdomains; --hide-listings: also hide its listings',
  words: 1,
  options: ['reason', 'subdomains', 'hide-listings', 'as', 'ground'],
  async run(given, word) {
    const host = needHost('block', word)
    const { subdomains = false, 'hide-listings': hide = false } = given
    const { ground } = groundFrom(given)
    const wanted = { reason: readReason('block', given), name: readName(given), ground, hide }
    await withStore(store => blockAndPrint(store, { host, subdomains }, wanted, asJson(given)))
  },
}

export const unblock: Command = {
  name: 'unblock',
  usage: 'HOST --reason TEXT',
  does: 'unblock a host',
  words: 1,
  options: ['reason', 'as'],
  async run(given, word) {
    const host = needHost('unblock', word)
    const by = { reason: readReason('unblock', given), name: readName(given) }
    await withStore(store => unrecorded(store, host, by, asJson(given)))
  },
}

export const blocks: Command = {
  name: 'blocks',
  usage: '[--all] [--limit N]',
  does: 'list blocked hosts, newest first; --all: also hosts that were unblocked',
  options: ['all', 'limit'],
  async run(given) {
    const count = readLimit(given)
    await withStore(async store =>
      printItems(await listBlocks(store, count, given.all === true), given, {
        none: 'No host is blocked.',
        print: printBlock,
        toJson: shown,
      }),
    )
  },
}

/** Enough for any host, except one that gives each of its customers a subdomain. */
const LISTINGS_MAX = 1000

interface Wanted {
  reason: string
  name: string
  ground?: GroundId | undefined
  /** Whether to hide the host's listings, too. */
  hide: boolean
}

/** Blocks a host and prints its listings. Hides them if that was requested. */
async function blockAndPrint(
  store: Store,
  range: HostRange,
  { reason, name, ground, hide }: Wanted,
  asJson: boolean,
): Promise<void> {
  const now = Date.now()
  const { block: recorded, changed } = await blockHost(store, range, reason, { name, ground }, now)
  const listed = await listingsOfHost(store.db, range, now, LISTINGS_MAX)
  const hidden: string[] = []
  for (const { slug } of hide ? listed : []) {
    const by = { actor: operatorNamed(name), reason: 'blocklisted', ...(ground && { ground }) }
    if ((await hideListing(store, slug, reason, now, by))?.changed) hidden.push(slug)
  }
  const left = listed.map(({ slug }) => slug).filter(slug => !hidden.includes(slug))
  if (asJson) return void console.log(JSON.stringify({ ...shown(recorded), changed, hidden, listed: left }))
  const what = rangeText({ host: recorded.host, subdomains: recorded.subdomains === 1 })
  const by = `by ${recorded.blockedBy}, ${utcMinute(recorded.blockedAt)}`
  console.log(changed ? `${what} is blocked.` : `${what} was already blocked ${by}: ${recorded.reason}`)
  if (range.subdomains !== (recorded.subdomains === 1))
    console.log('A host can be blocked only once. To change the block, unblock the host first.')
  for (const slug of hidden) console.log(`    ${slug} is hidden.`)
  for (const slug of left) console.log(`    ${slug} is still listed.`)
  if (left.length > 0) console.log('To hide them, run the command again with --hide-listings.')
}

/** Ends the block of a host. @throws Error if the host is not blocked */
async function unrecorded(
  store: Store,
  host: string,
  { reason, name }: Pick<Wanted, 'reason' | 'name'>,
  asJson: boolean,
): Promise<void> {
  const ended = await unblockHost(store, host, reason, name, Date.now())
  if (!ended) throw new Error(`${host} is not blocked; "blocks" lists the blocked hosts`)
  if (asJson) return void console.log(JSON.stringify(shown(ended)))
  console.log(`${host} is no longer blocked. Its hidden listings stay hidden: "restore" shows one again.`)
}

function printBlock({ host, subdomains, reason, blockedBy, blockedAt, endedAt }: Block): void {
  const until = endedAt === null ? '' : `  (ended ${utcMinute(endedAt)})`
  const what = rangeText({ host, subdomains: subdomains === 1 })
  console.log(`${utcMinute(blockedAt)}  ${what}  by ${blockedBy}: ${reason}${until}`)
}

type Block = Awaited<ReturnType<typeof listBlocks>>[number]

const shown = ({ host, subdomains, reason, blockedBy, blockedAt, endedAt }: Block) => ({
  host,
  subdomains: subdomains === 1,
  reason,
  blockedBy,
  blockedAt,
  endedAt,
})
