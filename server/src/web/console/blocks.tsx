import { chosenGround } from '../../domain/decisions/grounds.ts'
import { readHost } from '../../domain/destinations/hostname.ts'
import { actOn } from '../../domain/moderation/console/act.ts'
import { CASES_SHOWN, type Case, readCases } from '../../domain/moderation/console/queue.ts'
import { listingsOfHost } from '../../domain/moderation/moderate.ts'
import {
  type BlockedHost,
  blockHost,
  blockOf,
  type HostRange,
  listBlocks,
  rangeText,
  unblockHost,
} from '../../domain/review/reviewers/blocked-hosts.ts'
import { counted } from '../../platform/lib/text.ts'
import { Button, Field, Form } from '../ui/elements.tsx'
import { Minute } from '../ui/time.tsx'
import { actOnEach, JustDone } from './done.tsx'
import { ConsolePage, Head, ListingRow, Part, Reason } from './page.tsx'
import {
  type ConsoleDependencies,
  caseValue,
  type Fields,
  type Perform,
  readCaseValue,
  textOf,
  type Visit,
} from './request.ts'

/** The hosts that a form names, as they were typed. */
export const rangeIn = ({ host, below }: Fields): HostRange => ({
  host: String(host ?? ''),
  subdomains: below === 'yes',
})

/** Blocks a host, and hides those of its listings that the page showed, if that was asked for. */
export const block: Perform = async (deps, visit, form) => {
  const { store, links, clock } = deps
  const { view } = visit
  const typed = rangeIn(form)
  const read = readHost(typed.host, links.hostname)
  if ('problem' in read) return undefined
  const range = { ...typed, host: read.host }
  const [explanation, ground, name] = [textOf(form.explanation), chosenGround(form.ground), view.session.name]
  if (!explanation) return 'Nothing was blocked. Give a reason.'
  const blocked =
    form.only === 'hide' ? undefined : await blockHost(store, range, explanation, { name, ground }, clock())
  const by = { name, explanation, reason: 'blocklisted', ground }
  const shown = typeof form.cases === 'string' ? form.cases.split(' ').slice(0, CASES_SHOWN) : []
  const cases = (form.hide === 'yes' ? shown : []).flatMap(value => readCaseValue(value) ?? [])
  const undoable = blocked?.changed && {
    blocked: { ...range, reason: explanation, decisionId: blocked.block.decisionId },
  }
  const done = { did: 'block' as const, ...undoable }
  const { acted, words: rest } = await actOnEach(deps, visit, done, cases, seen =>
    actOn(store, 'hide', seen, by, clock()),
  )
  if (!blocked) return { did: 'block', acted, ...(rest && { words: rest }) }
  const { changed, block: kept } = blocked
  const words = changed
    ? `${rangeText(range)} is blocked.`
    : `${rangeText(kept)} was already blocked, by ${kept.blockedBy}. To change that, unblock it first.`
  return { ...done, acted, words: rest ? `${words} ${rest}` : words }
}

/** Ends the block of a host. What was hidden stays hidden. */
export const unblock: Perform = async ({ store, clock }, { view }, form) => {
  const [{ host }, decisionId] = [rangeIn(form), String(form.id ?? '')]
  const explanation = 'Reviewed again and unblocked'
  const ended = await unblockHost(store, host, explanation, view.session.name, clock(), decisionId)
  if (!ended) return { did: 'unblock', acted: [], words: 'That host was already unblocked. Nothing was changed.' }
  return {
    did: 'unblock',
    acted: [],
    words: `${rangeText(ended)} is no longer blocked. What was hidden stays hidden.`,
    blocked: { host, subdomains: ended.subdomains === 1, reason: ended.reason, decisionId },
  }
}

const BLOCKS_SHOWN = 100

/** The blocked hosts, and the form to block one, which first shows the listings of that host. */
export async function blocks(deps: ConsoleDependencies, { view, request, reply }: Visit) {
  const { host, below } = request.query as Fields
  const typed = typeof host === 'string' ? host : undefined
  const known = await listBlocks(deps.store, BLOCKS_SHOWN, true)
  const read = typed === undefined ? undefined : readHost(typed, deps.links.hostname)
  const problem = read && 'problem' in read ? read.problem : undefined
  if (problem) reply.code(400)
  const wanted = read && 'host' in read ? { host: read.host, subdomains: below === 'yes' } : undefined
  return (
    <ConsolePage view={view} title="Blocks" path="/console/blocks">
      <Head title="Blocked hosts">
        Pages of a blocked host can’t be listed. Existing listings stay, unless you hide them.
      </Head>
      <JustDone view={view} />
      <search>
        <form class="console-words" action="/console/blocks">
          <Field
            label="Host"
            fault={problem && `“${typed}” ${problem}.`}
            type="text"
            id="host"
            name="host"
            value={typed ?? ''}
            maxLength={300}
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="evil.com"
          />
          <label class="check">
            <input type="checkbox" name="below" value="yes" checked={wanted?.subdomains ?? false} />
            <span>And its subdomains</span>
          </label>
          <p>
            <Button>Show its listings</Button>
          </p>
        </form>
      </search>
      {wanted && (await hostPart(deps, wanted))}
      <Part id="known" title="All blocks">
        {known.length === 0 ? (
          <p class="soft">No host is blocked.</p>
        ) : (
          <ul class="console-log">
            {known.map(each => (
              <Block key={each.id} block={each} />
            ))}
          </ul>
        )}
      </Part>
    </ConsolePage>
  )
}

/** The requested host: the block that applies to it, and its listings. */
async function hostPart({ store, clock }: ConsoleDependencies, range: HostRange) {
  const [block, listed] = await Promise.all([
    blockOf(store, range.host),
    listingsOfHost(store.db, range, clock(), CASES_SHOWN + 1),
  ])
  const ids = listed.slice(0, CASES_SHOWN).map(({ id }) => Number(id))
  const cases = await readCases(store, ids, 1)
  return (
    <Part id="wanted" title={<bdi dir="ltr">{rangeText(range)}</bdi>}>
      {block && (
        <div class="callout console-block">
          <p>
            <bdi>{rangeText(block)}</bdi> is blocked, by <bdi>{block.blockedBy}</bdi>:{' '}
            <span dir="auto">{block.reason}</span>
          </p>
          <Unblock block={block} />
        </div>
      )}
      <p>
        {cases.length === 0
          ? 'It has no public listings.'
          : `${listed.length > CASES_SHOWN ? 'The newest ' : ''}${counted(cases.length, 'public listing')}:`}
      </p>
      {cases.length > 0 && (
        <ul class="console-log">
          {cases.map(({ listing }) => (
            <ListingRow key={listing.id} listing={listing}>
              {listing.category}
            </ListingRow>
          ))}
        </ul>
      )}
      {(!block || cases.length > 0) && <BlockForm range={range} isBlocked={block !== undefined} cases={cases} />}
    </Part>
  )
}

interface BlockFormProps {
  range: HostRange
  isBlocked: boolean
  cases: readonly Case[]
}

function BlockForm({ range: { host, subdomains }, isBlocked, cases }: BlockFormProps) {
  const shown = {
    host,
    below: subdomains ? 'yes' : undefined,
    cases: cases.map(caseValue).join(' '),
    ...(isBlocked && { hide: 'yes', only: 'hide' }),
  }
  return (
    <Form class="console-words" action="/console/block" fields={shown}>
      <Reason id="why" label="Why" hint="Owners of hidden listings can read this." />
      {!isBlocked && cases.length > 0 && (
        <label class="check">
          <input type="checkbox" name="hide" value="yes" />
          <span>
            {cases.length === 1
              ? 'Hide this listing, too, and settle its open items'
              : `Hide these ${cases.length} listings, too, and settle their open items`}
          </span>
        </label>
      )}
      <p>
        <Button look="ink">{isBlocked ? `Hide ${counted(cases.length, 'listing')}` : `Block ${host}`}</Button>
      </p>
    </Form>
  )
}

function Block({ block }: { block: BlockedHost }) {
  const { reason, blockedBy, blockedAt, endedAt } = block
  return (
    <li class="console-block">
      <div>
        <p>
          <strong>
            <bdi dir="ltr">{rangeText(block)}</bdi>
          </strong>{' '}
          <span class="soft">
            by <bdi>{blockedBy}</bdi>
          </span>
        </p>
        <p dir="auto">{reason}</p>
        <p class="host">
          <Minute at={blockedAt} />
          {endedAt !== null && (
            <>
              {' · unblocked '}
              <Minute at={endedAt} />
            </>
          )}
        </p>
      </div>
      {endedAt === null && <Unblock block={block} />}
    </li>
  )
}

const Unblock = ({ block: { host, decisionId } }: { block: BlockedHost }) => (
  <Form action="/console/unblock" fields={{ host, id: decisionId }}>
    <Button>
      Unblock<span class="unseen"> {host}</span>
    </Button>
  </Form>
)
