import type { GroundId } from '../decisions/grounds.ts'
import { operatorNamed } from '../decisions/record.ts'
import { blockHost, type HostRange, listBlocks, unblockHost } from '../review/blocked-hosts.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { listingsOfHost } from './listings-of-host.ts'
import { hideListing } from './moderate.ts'

/** More than a host has, unless it gives a name to each customer. */
const LISTINGS_MAX = 1000

interface Wanted {
  reason: string
  name: string
  ground?: GroundId | undefined
  /** Whether what is listed of the host is to be hidden, too. */
  hide: boolean
}

/** Blocks a host, and hides what is listed of it where that was asked for; otherwise prints what is. */
export async function block(
  store: Store,
  range: HostRange,
  { reason, name, ground, hide }: Wanted,
  asJson: boolean,
): Promise<void> {
  const now = Date.now()
  const { block, changed } = await blockHost(store, range, reason, { name, ground }, now)
  const listed = await listingsOfHost(store.db, range, now, LISTINGS_MAX)
  const hidden: string[] = []
  for (const { slug } of hide ? listed : []) {
    const by = { actor: operatorNamed(name), reason: 'blocklisted', ...(ground && { ground }) }
    if ((await hideListing(store, slug, reason, now, by))?.changed) hidden.push(slug)
  }
  const left = listed.map(({ slug }) => slug).filter(slug => !hidden.includes(slug))
  if (asJson) return void console.log(JSON.stringify({ ...shown(block), changed, hidden, listed: left }))
  const what = rangeText({ host: block.host, subdomains: block.subdomains === 1 })
  const by = `by ${block.blockedBy}, ${utcMinute(block.blockedAt)}`
  console.log(changed ? `${what} is blocked.` : `${what} was already blocked ${by}: ${block.reason}`)
  if (range.subdomains !== (block.subdomains === 1))
    console.log('To change what is blocked, unblock it first.')
  for (const slug of hidden) console.log(`    ${slug} is hidden.`)
  for (const slug of left) console.log(`    ${slug} is still up.`)
  if (left.length > 0) console.log('With --hide-listings, these are hidden, too.')
}

/** Ends the block of a host. @throws Error if there is none */
export async function unblock(
  store: Store,
  host: string,
  { reason, name }: Pick<Wanted, 'reason' | 'name'>,
  asJson: boolean,
): Promise<void> {
  const ended = await unblockHost(store, host, reason, name, Date.now())
  if (!ended) throw new Error(`${host} is not blocked; "blocks" shows the hosts that are`)
  if (asJson) return void console.log(JSON.stringify(shown(ended)))
  console.log(`${host} is no longer blocked. What was hidden stays hidden.`)
}

/** Prints the blocked hosts, newest first, or one line of JSON for each. @param ended and those that were */
export async function showBlocks(
  store: Store,
  count: number,
  ended: boolean,
  asJson: boolean,
): Promise<void> {
  const blocks = await listBlocks(store, count, ended)
  if (asJson) {
    for (const block of blocks) console.log(JSON.stringify(shown(block)))
    return
  }
  if (blocks.length === 0) return void console.log('No host is blocked.')
  for (const { host, subdomains, reason, blockedBy, blockedAt, endedAt } of blocks) {
    const until = endedAt === null ? '' : `  (ended ${utcMinute(endedAt)})`
    const what = rangeText({ host, subdomains: subdomains === 1 })
    console.log(`${utcMinute(blockedAt)}  ${what}  by ${blockedBy}: ${reason}${until}`)
  }
}

/** A host as people read it: with what is below it, or alone. */
export const rangeText = ({ host, subdomains }: HostRange): string =>
  subdomains ? `${host} with its subdomains` : host

type Block = Awaited<ReturnType<typeof listBlocks>>[number]

const shown = ({ host, subdomains, reason, blockedBy, blockedAt, endedAt }: Block) => ({
  ...{ host, subdomains: subdomains === 1, reason, blockedBy, blockedAt, endedAt },
})
