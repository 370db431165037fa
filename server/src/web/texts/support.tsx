import { type Links, OWN_PATH } from '../../platform/http/links.ts'
import { Fact } from '../ui/elements.tsx'
import { renderText } from './text-page.tsx'

/** Self-help, and how to reach the operator. */
export function renderSupport(links: Links): string {
  const { sellsPlaces } = links.site
  return renderText(
    {
      links,
      title: 'Support',
      description: 'How to recover a receipt, what the statuses of a listing mean, and how to reach the operator.',
      path: '/support',
    },
    <>
      <h2>A lost receipt or private link</h2>
      <p>
        Ask your agent to send the original request again: the same <code>Idempotency-Key</code>, the same{' '}
        <code>X-Submission-Secret</code> and the same body. The reply is the receipt with the current status and, while
        the listing is published, the private link. This works at any time, as often as you need, and does not renew the
        listing.
      </p>
      <p>
        Submitting the website again does not help: its address is already taken. Without the original request,{' '}
        <a href={OWN_PATH}>prove that the website is yours</a>: you get a new private link, whoever posted the listing.
      </p>
      <p>
        Does someone else have the private link? Open it yourself and renew it, or prove the website. The old link stops
        working. After a renewal, repeating the original request returns the new link; after a proof, it returns none. A
        webhook then signs with a new secret: copy it to your server.
      </p>
      <h2>A listing that is down</h2>
      <dl class="record">
        <Fact name="Published">The listing is public.</Fact>
        <Fact name="Expired">
          Its time has ended. Repeating the request does not renew it. Its proven owner can show it again on the private
          page.
        </Fact>
        <Fact name="Unavailable">
          It was withdrawn, or taken down by a check or the operator. A proven owner can show a withdrawn listing again;
          the operator decides about the others.
        </Fact>
      </dl>
      <h2>The private page does not open</h2>
      <p>
        Use the whole link, up to its last character: the part after <code>#owner=</code> is the key. The page needs
        JavaScript and cookies. A visit ends automatically after a while: open the link again to continue.
      </p>
      {sellsPlaces && (
        <>
          <h2>A payment that does not count yet</h2>
          <p>
            It counts once the payment processor confirms it: usually within seconds, but a bank transfer takes days.
            Your order’s page shows its status. Keep that address, and give the order number when you ask for help.
          </p>
          <p>
            A payment that matches no order counts for no website. It is never lost: the operator sees it.{' '}
            <a href="/how-boards-work">How boards work</a> explains what a total includes.
          </p>
        </>
      )}
      <h2>Something is wrong with a listing</h2>
      <p>
        Report it on its page: say what is wrong, and leave a contact if you want an answer. The operator sees every
        report. Don’t want your own website listed? <a href={OWN_PATH}>Prove that it is yours</a>, and withdraw the
        listing on its private page.
      </p>
      <h2>Reach the operator</h2>
      <Operator links={links} />
      <p class="note">
        Never send the private link or the submission secret to anyone. See also <a href="/rules">the rules</a> and{' '}
        <a href="/privacy">privacy</a>; the <a href="/api#errors">API reference</a> lists API errors.
      </p>
    </>,
  )
}

function Operator({ links }: { links: Links }) {
  if (!links.isSupportGiven) {
    return <p>The operator of this site has not given a contact address.</p>
  }
  return (
    <p>
      Write to the operator at <a href={links.support}>{links.support.replace(/^mailto:/, '')}</a>. Give the address of
      the public page, the <code>requestId</code> of the receipt, or the number of the order.
    </p>
  )
}
