import type { ComponentChildren } from 'preact'
import type { Links } from '../../http/links.ts'
import { assetPath } from '../ui/assets.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { LinkMessages } from '../ui/link-messages.tsx'
import { Message } from '../ui/message.tsx'
import { SignPage } from '../ui/sign-page.tsx'

/** The frame of everything below `/manage/<claim>`. It loads the script that reads the fragment. */
export function PrivateFrame({ links, children }: { links: Links; children: ComponentChildren }) {
  return (
    <Layout
      links={links}
      title="Manage your listing"
      description="The private page of a listing."
      head={
        <>
          <script type="module" src={assetPath('private-page.js')} />
          <script type="module" src={assetPath('copy.js')} />
        </>
      }
    >
      {children}
    </Layout>
  )
}

/** The page before its script has exchanged the link's key. It is the same for every claim, known or not. */
export const renderShell = (links: Links, { visitEnded = false } = {}): string =>
  renderDocument(
    <PrivateFrame links={links}>
      <div data-shell>
        <SignPage sign="FOR YOU ONLY" tone="green" heading="Your private page">
          {visitEnded && (
            <Message>
              <strong>Your visit had ended, so nothing changed.</strong>
            </Message>
          )}
          <LinkMessages links={links} />
          <noscript>
            <p class="callout">
              This page needs JavaScript: the key to your listing is the last part of your private link, which
              browsers never send to a server. Please turn JavaScript on and open the link again.
            </p>
          </noscript>
        </SignPage>
      </div>
    </PrivateFrame>,
  )
