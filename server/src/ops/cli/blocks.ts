import { hideListing, listingsOfHost } from '../../domain/moderation/moderate.ts'
import { blockHost, listBlocks, rangeText, unblockHost } from '../../domain/review/reviewers/blocked-hosts.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { decisionCommand, listCommand, needHost } from './command.ts'
import { groundFrom } from './listing-acts.ts'

/** How many listings are read at once. A host that gives each of its customers a subdomain may have more. */
const LISTINGS_AT_ONCE = 1000

export const block = decisionCommand({
  name: 'block',
  usage: 'HOST --reason TEXT',
  does: 'block a host; --subdomains: also its subdomains; --hide-listings: also hide its listings',
  options: ['subdomains', 'hide-listings', 'ground'],
  subject: word => needHost('block', word),
  more: ({ subdomains = false, 'hide-listings': hides = false, ...values }) => ({
    subdomains,
    hides,
    ground: groundFrom(values),
  }),
  async act(store, { subject: host, reason, name, actor, now }, { subdomains, hides, ground }) {
    const range = { host, subdomains }
    const { block: recorded, changed } = await blockHost(store, range, reason, { name, ground }, now)
    const read = () => listingsOfHost(store.db, range, now, LISTINGS_AT_ONCE)
    const hidden: string[] = []
    let listed = await read()
    for (; hides && listed.length > 0; listed = await read()) {
      for (const { slug } of listed) {
        const by = { actor, reason: 'blocklisted', ground }
        // The present time for each: many take minutes, and the log accepts no decision with an old date.
        if ((await hideListing(store, slug, reason, Date.now(), by))?.changed) hidden.push(slug)
      }
    }
    const left = listed.map(({ slug }) => slug)
    const what = rangeText(recorded)
    const by = `by ${recorded.blockedBy}, ${utcMinute(recorded.blockedAt)}`
    const isOther = subdomains !== (recorded.subdomains === 1)
    const lines = [
      changed ? `${what} is blocked.` : `${what} was already blocked ${by}: ${recorded.reason}`,
      ...(isOther ? ['A host can be blocked only once. To change the block, unblock the host first.'] : []),
      ...hidden.map(slug => `    ${slug} is hidden.`),
      ...left.map(slug => `    ${slug} is still listed.`),
      ...(left.length > 0 ? ['To hide them, run the command again with --hide-listings.'] : []),
    ]
    return [{ ...shown(recorded), changed, hidden, listed: left }, lines.join('\n')]
  },
})

export const unblock = decisionCommand({
  name: 'unblock',
  usage: 'HOST --reason TEXT',
  does: 'unblock a host',
  subject: word => needHost('unblock', word),
  async act(store, { subject: host, reason, name, now }) {
    const ended = await unblockHost(store, host, reason, name, now)
    if (!ended) throw new Error(`${host} is not blocked; "blocks" lists the blocked hosts`)
    const text = `${host} is no longer blocked. Its hidden listings stay hidden: "restore" shows one again.`
    return [shown(ended), text]
  },
})

export const blocks = listCommand({
  name: 'blocks',
  usage: '[--all] [--limit N]',
  does: 'list blocked hosts, newest first; --all: also hosts that were unblocked',
  options: ['all'],
  wanted: ({ all = false }) => all,
  none: 'No host is blocked.',
  read: listBlocks,
  print(block) {
    const { reason, blockedBy, blockedAt, endedAt } = block
    const until = endedAt === null ? '' : `  (ended ${utcMinute(endedAt)})`
    console.log(`${utcMinute(blockedAt)}  ${rangeText(block)}  by ${blockedBy}: ${reason}${until}`)
  },
  toJson: shown,
})

type Block = Awaited<ReturnType<typeof listBlocks>>[number]

function shown({ host, subdomains, reason, blockedBy, blockedAt, endedAt }: Block) {
  return { host, subdomains: subdomains === 1, reason, blockedBy, blockedAt, endedAt }
}
