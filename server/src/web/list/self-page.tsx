import { type Category, type Check, CONTRACT_VERSION, DISPLAY_DAYS } from '@placard/contract'
import type { Destination } from '../../domain/destinations/destination.ts'
import { LIST_PATH, type Links, ownPath } from '../../platform/http/links.ts'
import { Button, Fact, Form, Message, PageHead, Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { ListingPoster } from '../ui/listing-poster.tsx'
import type { IssuedLink } from '../ui/private-link.tsx'
import { NotShown, PrivateLink } from '../ui/private-link.tsx'
import { CommonHosts, type Proof, ProofPlaces } from '../ui/site-proof.tsx'
import { Day } from '../ui/time.tsx'

export const SELF_PATH = `${LIST_PATH}/self`

/** What a person lists, and where. */
interface Submitted {
  destination: Destination
  category: Category
}

export interface SelfPage extends Submitted {
  links: Links
  /** The idempotency key of the submission that this page sends. */
  attempt: string
  proof: Proof
  /** What the listing would show, right after a check. */
  preview?: Check['listing']
  /** What went wrong with the last step, if it can be tried again. */
  message?: string
  /** Why the website can't be listed, and whether another page could. An empty message: it is listed already. */
  refused?: { message: string; isOfPage: boolean; ownPath: string } | undefined
}

/** Preview and proof of a website that a person lists without an agent. */
export function renderSelf(page: SelfPage): string {
  const { links, destination, category, attempt, proof, preview, message, refused } = page
  return renderDocument(
    <SelfFrame links={links} at={`${LIST_PATH}?${new URLSearchParams({ address: destination.url, category })}#self`}>
      {message && <Message>{message}</Message>}
      {refused && <Refused {...refused} destination={destination} category={category} links={links} />}
      {preview && <Preview listing={preview} destination={destination} category={category} />}
      {!refused && (
        <Section id="proofs" title="Prove that it’s yours">
          <ProofPlaces destination={destination} proof={proof} />
          <details>
            <summary>Where to put it: WordPress, Squarespace, Wix, Shopify and others</summary>
            <CommonHosts destination={destination} />
          </details>
          <Form
            action={`${SELF_PATH}/publish`}
            class="own-step"
            fields={{ address: destination.url, category, attempt }}
          >
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
              <Button look="go">Check and publish</Button>
              <span class="small soft">Free. We review the page before it goes up.</span>
            </p>
          </Form>
        </Section>
      )}
    </SelfFrame>,
  )
}

const SelfFrame = ({ links, at, children }: { links: Links; at: string; children: preact.ComponentChildren }) => (
  <Layout
    links={links}
    title="List it yourself"
    description="List your website without an agent."
    path={LIST_PATH}
    at={at}
    scripts={['copy.js']}
  >
    <PageHead title="List it yourself" />
    {children}
  </Layout>
)

const Preview = ({ listing, destination, category }: Submitted & { listing: NonNullable<SelfPage['preview']> }) => (
  <Section id="preview" title="This is your listing">
    <div class={listing.imageUrl ? undefined : 'previewed'}>
      {!listing.imageUrl && (
        <ListingPoster
          listing={{ ...listing, hostname: destination.hostname, category, language: '', pictureVersion: null }}
          note={`${DISPLAY_DAYS} days`}
        />
      )}
      <div>
        <dl class="record">
          <Fact name="Title" dir="auto">
            {listing.title}
          </Fact>
          <Fact name="Description" dir="auto">
            {listing.description || 'None'}
          </Fact>
          <Fact name="Picture">{listing.imageUrl ?? 'Your page names none, so we draw one'}</Fact>
          <Fact name="Category">{category}</Fact>
        </dl>
        <Again
          destination={destination}
          category={category}
          words="Wrong words? Change your page, then press “Read it again”."
        />
      </div>
    </div>
  </Section>
)

const Again = ({ words, destination, category }: Submitted & { words: string }) => (
  <Form action={SELF_PATH} class="own-step" fields={{ address: destination.url, category }}>
    <p class="acts">
      <Button>Read it again</Button>
      <span class="small soft">{words}</span>
    </p>
  </Form>
)

function Refused(refused: NonNullable<SelfPage['refused']> & Submitted & { links: Links }) {
  const { message, isOfPage, ownPath, links, ...submitted } = refused
  if (!message) {
    return (
      <Section id="refused" title="It is listed already" look="own-answer">
        <p>
          An address can be listed once. <a href={ownPath}>Prove that the website is yours</a>, and you get its private
          link.
        </p>
      </Section>
    )
  }
  if (!isOfPage) {
    return (
      <Section id="refused" title="It can’t be listed now" look="own-answer">
        <p>{message}</p>
      </Section>
    )
  }
  return (
    <Section id="refused" title="It can’t be listed as it is" look="own-answer">
      <p>{message}</p>
      <p>
        Is this a mistake? <a href={links.support}>Support</a> says how to reach the operator.
      </p>
      <Again {...submitted} words="Have you changed the page?" />
    </Section>
  )
}

/** The reply to a publish, which shows the private link once. The listing may have been hidden or ended since. */
export const renderSelfListed = (given: IssuedLink, { url }: Destination, links: Links): string =>
  renderDocument(
    <SelfFrame links={links} at={ownPath(url)}>
      <PrivateLink heading={given.isPublished ? 'It’s public' : 'It’s yours'} given={given} links={links}>
        {given.isPublished ? <Public listing={given.listing} /> : <NotShown />}
      </PrivateLink>
    </SelfFrame>,
  )

const Public = ({ listing: { slug, title, expiresAt } }: Pick<IssuedLink, 'listing'>) => (
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
