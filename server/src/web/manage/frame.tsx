import type { ComponentChildren } from 'preact'
import { type Links, LOST_LINK_PATH, OWN_PATH } from '../../platform/http/links.ts'
import { Message } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { SignPage } from '../ui/poster.tsx'
import { Unsent } from '../ui/statement.tsx'

/** The frame of everything below `/manage/<claim>`. It loads the script that reads the fragment. */
export function PrivateFrame({ links, children }: { links: Links; children: ComponentChildren }) {
  return (
    <Layout
      links={links}
      title="Manage your listing"
      description="The private page of a listing."
      scripts={['private-page.js', 'send-once.js', 'copy.js']}
    >
      {children}
    </Layout>
  )
}

/**
 * The page before its script has exchanged the link's key. It is the same for every claim, known or not. `typed`: the
 * appeal that came too late.
 */
export const renderShell = (links: Links, { visitEnded = false, typed = '' } = {}): string =>
  renderDocument(
    <PrivateFrame links={links}>
      <div data-shell>
        <SignPage sign="FOR YOU ONLY" tone="green" heading="Your private page">
          {visitEnded && (
            <Message>
              <strong>Your visit had ended, so nothing changed.</strong>
            </Message>
          )}
          {typed && <Unsent typed={typed} next="copy it, and open your private link again" />}
          <LinkMessages links={links} />
          <noscript>
            <p class="callout">
              This page needs JavaScript: the key to your listing is the last part of your private link, which browsers
              never send to a server. Please turn JavaScript on and open the link again.
            </p>
          </noscript>
        </SignPage>
      </div>
    </PrivateFrame>,
  )

interface Renewed {
  claimId: string
  privateLink: string
  hasWebhook: boolean
  /** Whether a private feed has ended with the old link. */
  hadFeed: boolean
  /** The confirmed mail address, most of it hidden. */
  mailAddress: string | undefined
  links: Links
}

/** The reply to a renewal, and the only page that ever shows a private link. It is never stored or shown again. */
export const renderRenewed = ({ claimId, privateLink, hasWebhook, hadFeed, mailAddress, links }: Renewed): string =>
  renderDocument(
    <PrivateFrame links={links}>
      <article class="sheet">
        <p class="eyebrow">Private page</p>
        <h1>Your new private link</h1>
        <p class="callout" role="status">
          <strong>Copy it now: we show it only here, and only once.</strong> The old link no longer works, and all other
          visits to this page have ended.
        </p>
        <pre class="new-link copy" data-private-link>
          {privateLink}
        </pre>
        <p>
          Keep it where you keep passwords: anyone with it can manage the listing. Lost it? Your agent can{' '}
          <a href="/support">recover the receipt</a>, which has the new link while the listing is published.
        </p>
        {hasWebhook && (
          <p>
            Your webhook has a new signing secret, since the old link showed the old one: copy it to your server, and
            check that the webhook’s address is still yours.
          </p>
        )}
        {hadFeed && <p>Your private feed has ended, too: get a new one on the private page.</p>}
        {mailAddress && (
          <p>
            Mail about this listing still goes to <strong>{mailAddress}</strong>, and anyone who reads it can open this
            page. If that address isn’t yours, delete it on the private page now.
          </p>
        )}
        <p>
          <a class="button" href={`/manage/${claimId}`}>
            I’ve copied it, continue
          </a>
        </p>
      </article>
    </PrivateFrame>,
  )

/** Messages for `assets/private-page.js`. All start hidden; the script shows one by its `data-state`. */
export function LinkMessages({ links }: { links: Links }) {
  return (
    <div aria-live="polite">
      <p data-state="opening" hidden>
        Opening your private page…
      </p>
      <div class="callout" data-state="no-key" hidden>
        <p>
          <strong>Open this page with your whole private link.</strong>
        </p>
        <p>
          It is on your receipt and ends in <code>#owner=</code> and a long key. If you just opened it, your browser may
          be blocking cookies here: allow them and open the link again.
        </p>
        <p>
          Lost it? Your agent can <a href="/support">recover the receipt</a>
          {links.site.sendsMail && (
            <>
              , or <a href={LOST_LINK_PATH}>get a link by mail</a>
            </>
          )}
          .
        </p>
      </div>
      <div class="callout" data-state="wrong-key" hidden>
        <p>
          <strong>This link does not open a listing.</strong>
        </p>
        <p>
          It may be incomplete: copy the whole link from your receipt, up to its last character. Or a newer link
          replaced it, such as that of a person who proved the website.
        </p>
        <p>
          Your agent can <a href="/support">recover the receipt</a>. Or{' '}
          <a href={OWN_PATH}>prove that the website is yours</a> to get a new link. If that doesn’t help,{' '}
          <a href={links.support}>get help</a>.
        </p>
      </div>
      <div class="callout" data-state="failed" hidden>
        <p>
          <strong>The page couldn’t be opened right now.</strong> Nothing is lost: your link still works.
        </p>
        <p>
          <button type="button" data-retry>
            Try again
          </button>
        </p>
      </div>
    </div>
  )
}
