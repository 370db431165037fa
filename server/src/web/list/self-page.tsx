import { type Category, type Check, CONTRACT_VERSION, DISPLAY_DAYS } from '@placard/contract'
import type { Destination } from '../../domain/destinations/destination.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { assetPath } from '../ui/assets.ts'
import { Bill } from '../ui/bill.tsx'
import type { Given } from '../ui/claim-listing.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Message } from '../ui/message.tsx'
import { NotShown, PrivateLink } from '../ui/private-link.tsx'
import { CommonHosts, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Day } from '../ui/time.tsx'

export const SELF_PATH = `${LIST_PATH}/self`

export interface SelfPage {
  links: Links
  destination: Destination
  category: Category
  /** The idempotency key of the submission that this page sends. */
  attempt: string
  proof: Proof
  /** What the listing would show, right after a check. */
  preview?: Check['listing']
  /** What went wrong with the last step, if it can be tried again. */
  message?: string
  /** Why the website can't be listed as it is. Without a message, it is listed already. */
  refused?: { message: string | undefined; ownPath: string }
}

/** Preview and proof of a website that a person lists without an agent. */
export function renderSelf({
  links,
  destination,
  category,
  attempt,
  proof,
  preview,
  message,
  refused,
}: SelfPage): string {
  return renderDocument(
    <SelfFrame links={links}>
      {message && <Message>{message}</Message>}
      {refused && <Refused {...refused} destination={destination} category={category} links={links} />}
      {preview && <Preview listing={preview} destination={destination} category={category} />}
      {!refused && (
        <section class="sec" aria-labelledby="proofs">
          <div class="sec-head">
            <h2 id="proofs">Prove that it’s yours</h2>
          </div>
          <ProofPlaces destination={destination} proof={proof} />
          <details>
            <summary>Where to put it: WordPress, Squarespace, Wix, Shopify and others</summary>
            <CommonHosts destination={destination} />
          </details>
          <form method="post" action={`${SELF_PATH}/publish`} class="own-step">
            <Fields destination={destination} category={category} />
            <input type="hidden" name="attempt" value={attempt} />
            <p>
              <label class="check">
                <input type="checkbox" name="rules" value={CONTRACT_VERSION} required />
                <span>
                  List {destination.url} publicly for {DISPLAY_DAYS} days. I agree to the <a href="/rules">rules</a>{' '}
                  (version {CONTRACT_VERSION}).
                </span>
              </label>
            </p>
            <p class="acts">
              <button class="btn go" type="submit">
                Check and publish
              </button>
              <span class="small soft">Free. We review the page before it goes up.</span>
            </p>
          </form>
        </section>
      )}
    </SelfFrame>,
  )
}

const SelfFrame = ({ links, children }: { links: Links; children: preact.ComponentChildren }) => (
  <Layout
    links={links}
    title="List it yourself"
    description="List your website without an agent."
    path={LIST_PATH}
    head={<script type="module" src={assetPath('copy.js')} />}
  >
    <div class="page-head">
      <h1>List it yourself</h1>
    </div>
    {children}
  </Layout>
)

const Fields = ({ destination, category }: Pick<SelfPage, 'destination' | 'category'>) => (
  <>
    <input type="hidden" name="address" value={destination.url} />
    <input type="hidden" name="category" value={category} />
  </>
)

const Preview = ({
  listing,
  destination,
  category,
}: { listing: NonNullable<SelfPage['preview']> } & Pick<SelfPage, 'destination' | 'category'>) => (
  <section class="sec" aria-labelledby="preview">
    <div class="sec-head">
      <h2 id="preview">This is your listing</h2>
    </div>
    <div class={listing.imageUrl ? undefined : 'previewed'}>
      {!listing.imageUrl && (
        <Bill
          listing={{ ...listing, hostname: destination.hostname, category, language: '', pictureVersion: null }}
          note={`${DISPLAY_DAYS} days`}
        />
      )}
      <div>
        <dl class="record">
          <dt>Title</dt>
          <dd dir="auto">{listing.title}</dd>
          <dt>Description</dt>
          <dd dir="auto">{listing.description || 'None'}</dd>
          <dt>Picture</dt>
          <dd>{listing.imageUrl ?? 'Your page names none, so we draw one'}</dd>
          <dt>Category</dt>
          <dd>{category}</dd>
        </dl>
        <Again
          destination={destination}
          category={category}
          words="Wrong words? Change your page, then press “Read it again”."
        />
      </div>
    </div>
  </section>
)

const Again = ({ words, ...fields }: { words: string } & Pick<SelfPage, 'destination' | 'category'>) => (
  <form method="post" action={SELF_PATH} class="own-step">
    <Fields {...fields} />
    <p class="acts">
      <button class="btn" type="submit">
        Read it again
      </button>
      <span class="small soft">{words}</span>
    </p>
  </form>
)

const Refused = ({
  message,
  ownPath,
  links,
  ...fields
}: NonNullable<SelfPage['refused']> & Pick<SelfPage, 'destination' | 'category' | 'links'>) => (
  <section class="sec own-answer" aria-labelledby="refused">
    <div class="sec-head">
      <h2 id="refused">{message ? 'It can’t be listed as it is' : 'It is listed already'}</h2>
    </div>
    {message ? (
      <>
        <p>{message}</p>
        <p>
          Is this a mistake? <a href={links.support}>Support</a> says how to reach the operator.
        </p>
        <Again destination={fields.destination} category={fields.category} words="Have you changed the page?" />
      </>
    ) : (
      <p>
        An address can be listed once. <a href={ownPath}>Prove that the website is yours</a>, and you get its private
        link.
      </p>
    )}
  </section>
)

/** The reply to a publish, which shows the private link once. The listing may have been hidden or ended since. */
export const renderSelfListed = (given: Given, links: Links): string =>
  renderDocument(
    <SelfFrame links={links}>
      <PrivateLink heading={given.isPublished ? 'It’s public' : 'It’s yours'} given={given} links={links}>
        {given.isPublished ? <Public listing={given.listing} /> : <NotShown />}
      </PrivateLink>
    </SelfFrame>,
  )

const Public = ({ listing: { slug, title, expiresAt } }: Pick<Given, 'listing'>) => (
  <p>
    <a href={`/product/${slug}`} dir="auto">
      {title}
    </a>{' '}
    is listed
    {expiresAt !== null && (
      <>
        {' '}
        until <Day at={expiresAt} />
      </>
    )}
    , and its owner is verified.
  </p>
)
