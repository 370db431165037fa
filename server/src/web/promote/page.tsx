import type { BoardEntry } from '../../domain/boards/board.ts'
import type { Offer } from '../../domain/checkout/offer.ts'
import type { Listing } from '../../domain/listings/listing.ts'
import { type Links, promotePath } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { Fact, Message } from '../ui/elements.tsx'
import { BOARD_NAMES, BOARDS_IN_WORDS, knownLanguage, shortDollars } from '../ui/format.ts'
import { renderDocument } from '../ui/layout.tsx'
import { Minute } from '../ui/time.tsx'
import type { Choice } from './choice.ts'
import { ChoiceForm, type Choosing } from './choice-form.tsx'
import { PromoteFrame, WhatYouBuy } from './frame.tsx'
import { type Ownership, OwnershipSection, PaySection } from './steps.tsx'

/** A complete choice, with everything that is needed to pay for it. */
interface ToBuy {
  choice: Choice
  offer: Offer
  ownership: Ownership
  /** Whether the buyer has already agreed to this exact amount. */
  isAgreed: boolean
}

interface BuyingPage extends Choosing {
  /** Undefined while a part of the choice is missing. */
  toBuy: ToBuy | undefined
  links: Links
  /** The result of the visitor's last step. */
  message?: string | undefined
  link?: { href: string; text: string } | undefined
}

/** The one page before the processor's: the choice, its price and neighbours, ownership, terms, payment. */
export function renderBuying({ toBuy, links, message, link, ...choosing }: BuyingPage): string {
  const isPayable = toBuy?.offer.isPayable
  const isFaulty = Object.keys(choosing.read.faults).length > 0
  const at = toBuy && message !== undefined ? promotePath(toBuy.choice) : undefined
  const isRefused = message !== undefined || (isFaulty && !toBuy)
  return renderDocument(
    <PromoteFrame
      links={links}
      title="Buy a place"
      at={at}
      scripts={[toBuy?.ownership.proof && 'copy.js']}
      lead="You choose what to pay; your total sets your rank. You see both before you pay."
    >
      {isRefused && (
        <Message>
          {message ?? <strong>Please fix the fields marked below.</strong>}{' '}
          {link && <a href={link.href}>{link.text}</a>}
        </Message>
      )}
      <div class="cols to-buy">
        <div class="steps-to-pay">
          <ChoiceForm {...choosing} isMain={!toBuy} isRefused={isRefused} />
          {toBuy && <Price {...toBuy} />}
        </div>
        {toBuy && isPayable ? <Neighbours {...toBuy} /> : <InPlainWords />}
        {toBuy && isPayable && (
          <div class="steps-to-pay">
            <OwnershipSection {...toBuy} isListed={toBuy.offer.listing !== undefined} />
            <PaySection {...toBuy} isOwner={toBuy.ownership.pass !== undefined} />
          </div>
        )}
      </div>
    </PromoteFrame>,
  )
}

const InPlainWords = () => (
  <aside class="rail" aria-label="In plain words">
    <section>
      <h2>In plain words</h2>
      <WhatYouBuy />
    </section>
    <p class="note">
      Never enter your private link in this form: it opens your listing. A later step asks for it, in a field of its
      own.
    </p>
  </aside>
)

function Price({ choice, offer, ownership }: ToBuy) {
  return (
    <section id="price" aria-labelledby="price-head">
      <h2 id="price-head">The price now</h2>
      <ChosenPlace choice={choice} offer={offer} isOwner={ownership.pass !== undefined} />
      {ownership.pass && <OnItsWay offer={offer} />}
      {!offer.isPayable && <NothingDue choice={choice} offer={offer} />}
    </section>
  )
}

function ChosenPlace({ choice, offer, isOwner }: Pick<ToBuy, 'choice' | 'offer'> & { isOwner: boolean }) {
  const { destination, category, board, targetBid } = choice
  const { listing, price } = offer
  const inTheWay = isOwner ? offer.inTheWay : undefined
  const isPayable = offer.isPayable && !inTheWay
  return (
    <dl class="record chosen">
      <Fact name="Website">{destination.url}</Fact>
      <Fact name="Listing">
        {listing ? <ListingLink listing={listing} /> : 'Not listed yet: it will be once you pay'}
      </Fact>
      <Fact name="Category">{listing ? `${listing.category}, as listed` : category}</Fact>
      <Fact name="Board">{BOARD_NAMES[board]}</Fact>
      <Fact name="Your total on this board">{dollars(targetBid * 100)}</Fact>
      <Fact name="Already paid">{dollars(price.totalCents)}</Fact>
      {inTheWay && <Fact name="On its way">{dollars(inTheWay.amountCents)}</Fact>}
      {isPayable && (
        <>
          <Fact name="Due now">
            <strong class="due">{dollars(price.chargeAmountCents)}</strong> (US dollars)
          </Fact>
          <Fact name="Estimated place">{price.estimatedRank.toLocaleString('en-US')}, if no one else pays first</Fact>
        </>
      )}
    </dl>
  )
}

function ListingLink({ listing }: { listing: Listing }) {
  return (
    <a href={`/product/${listing.slug}`} dir="auto">
      {listing.title}
    </a>
  )
}

function Neighbours({ choice, offer }: Pick<ToBuy, 'choice' | 'offer'>) {
  const { price, neighbours } = offer
  const { above, below } = neighbours
  return (
    <aside class="rail" aria-labelledby="neighbours">
      <section>
        <h2 id="neighbours">Where you would rank</h2>
        <ul class="near">
          {above && <Neighbour rank={price.estimatedRank - 1} entry={above} />}
          <li class="you">
            <Rank rank={price.estimatedRank} />
            <strong>You: {choice.destination.hostname}</strong>
            <span class="sum">{shortDollars(choice.targetBid * 100)}</span>
          </li>
          {below && <Neighbour rank={price.estimatedRank + 1} entry={below} />}
        </ul>
      </section>
    </aside>
  )
}

const Rank = ({ rank }: { rank: number }) => (
  <b class="no">
    <span class="unseen">No. </span>
    {rank.toLocaleString('en-US')}
  </b>
)

const Neighbour = ({ rank, entry }: { rank: number; entry: BoardEntry }) => (
  <li>
    <Rank rank={rank} />
    <a href={`/product/${entry.slug}`} dir="auto" lang={knownLanguage(entry.language)}>
      <span class="clamp2">{entry.title}</span>
    </a>
    <span class="sum">{shortDollars(entry.totalCents)}</span>
  </li>
)

/** Money not verified yet, shown only to the proven owner, so that they do not buy the same place twice. */
function OnItsWay({ offer: { pending, inTheWay } }: Pick<ToBuy, 'offer'>) {
  return pending.map(({ id, board, amountCents, createdAt }) => (
    <p class="callout" key={id}>
      <strong>{dollars(amountCents)} is already on its way</strong> for this website on {BOARDS_IN_WORDS[board]},
      ordered <Minute at={createdAt} />. The bank has not confirmed it yet.{' '}
      <a href={`/checkout/${id}`}>See that order</a>.{' '}
      {id === inTheWay?.id
        ? 'You can order on this board again once the money has arrived or failed.'
        : 'The price doesn’t include it.'}
    </p>
  ))
}

function NothingDue({ choice, offer: { leastTargetBid } }: { choice: Choice; offer: Offer }) {
  return (
    <div class="callout">
      <p>
        <strong>This total is too low.</strong> It is less than a dollar above what is already paid, and the smallest
        payment is a dollar.
      </p>
      {leastTargetBid === undefined ? (
        <p>No higher total can be bought on this board.</p>
      ) : (
        <p>
          <a href={promotePath({ ...choice, targetBid: leastTargetBid })}>Choose {dollars(leastTargetBid * 100)}</a>,
          the lowest total that works now.
        </p>
      )}
    </div>
  )
}
