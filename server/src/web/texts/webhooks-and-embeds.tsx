import { BOARDS } from '@placard/contract'
import { EMBED_SECONDS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Entry } from '../ui/elements.tsx'

const EVENTS = [
  [
    'listing.overtaken',
    <>
      Other listings overtook it on a board. A refund of its own and a new day don’t count. With <code>board</code> (
      {BOARDS.map(board => `“${board}”`).join(' or ')}
      ), the rank before (<code>from</code>) and now (<code>to</code>), and <code>by</code>: <code>title</code> and{' '}
      <code>productUrl</code> of the listing that overtook it, or <code>null</code> if that is not certain.
    </>,
  ],
  [
    'listing.ends_soon',
    <>
      The listing ends within a week. Sent once for each end. With <code>expiresAt</code>.
    </>,
  ],
  [
    'listing.page_gone',
    <>
      The website’s page failed to load twice, at least a day apart. With <code>failingSince</code> and{' '}
      <code>httpStatus</code>, or <code>null</code> if there was no answer. Sent again only after the page was back.
    </>,
  ],
  [
    'listing.taken_down',
    <>
      We checked the page again and took the listing down because of what it now shows. With <code>reason</code>, as in
      a refusal. The private page says more, and how to appeal.
    </>,
  ],
  [
    'listing.claim_waits',
    <>
      Someone else proved the website. They get the listing at <code>until</code>, unless its owner proves the website
      again.
    </>,
  ],
  [
    'listing.proof_missing',
    <>
      The owner’s proof was missing twice, a day apart. The mark “Owner verified” ends at <code>until</code>.
    </>,
  ],
  [
    'listing.drawn',
    <>
      The listing was drawn by lot, and hangs on the home page for a day. With <code>day</code> (UTC) and{' '}
      <code>place</code>, from 1.
    </>,
  ],
  ['test', <>The owner pressed “Send a test”.</>],
] as const

/** What a listing's webhook receives. Not part of the contract: owners set it up in a browser. */
export function Webhooks({ links }: { links: Links }) {
  return (
    <section>
      <h2 id="webhooks">Webhooks</h2>
      <p>
        The owner of a listing adds a webhook on its private page: an https address on the standard port. We send each
        event as <code>POST</code> with JSON: <code>type</code>, <code>timestamp</code> of the event, and{' '}
        <code>data</code>. In <code>data</code> are <code>listing</code> (<code>title</code>, <code>website</code> and{' '}
        <code>productUrl</code>, such as <code>{links.product('…')}</code>) and what the event adds. Times in{' '}
        <code>data</code> are Unix milliseconds. Titles come from websites: treat them as hostile. New fields and types
        may be added.
      </p>
      <dl class="fields">
        {EVENTS.map(([type, text]) => (
          <Entry name={<code>{type}</code>} key={type}>
            {text}
          </Entry>
        ))}
      </dl>
      <p>
        Deliveries are signed per <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>, with the secret on
        the private page. Check <code>webhook-signature</code> with one of its libraries, and refuse a{' '}
        <code>webhook-timestamp</code> that is minutes off. Events may arrive twice and in another order: skip a{' '}
        <code>webhook-id</code> that you have seen.
      </p>
      <p>
        Answer with any 2xx status within 5 seconds. Every other answer is a failure, redirects included. We retry after
        about 10 seconds, 1 minute, 5 minutes, 30 minutes and 2 hours, then every 5 hours. A test is sent once. After a
        day of failures, or after <code>410</code>, we turn the webhook off and drop its pending events. Its owner can
        turn it on again on the private page. While a listing is taken down or withdrawn, only{' '}
        <code>listing.taken_down</code> is sent. An operator’s takedown sends no event.
      </p>
    </section>
  )
}

/** What other websites can embed. Not part of the contract: no agent needs it. */
export function Embeds({ links }: { links: Links }) {
  return (
    <section>
      <h2 id="embeds">Badges, oEmbed and feeds</h2>
      <p>
        For other websites and feed readers, and only for published listings. Badges and embeds may be {EMBED_SECONDS}{' '}
        seconds old.
      </p>
      <dl class="fields">
        <Entry name={<code>GET /badge/&lt;slug&gt;.svg</code>}>
          A badge with the listing’s all-time rank, labelled as paid; with <code>?board=today</code>, its rank today;
          with <code>?board=drawn</code>, the day on which it was drawn by lot. <code>?style=dark</code> and{' '}
          <code>?style=plain</code> suit other backgrounds. <code>410</code> while the listing is down.
        </Entry>
        <Entry name={<code>GET /oembed?url=&lt;page&gt;&amp;format=json</code>}>
          oEmbed 1.0 for addresses like <code>{links.product('…')}</code>, with <code>maxwidth</code> and{' '}
          <code>maxheight</code>: the listing’s bill in a frame, from <code>/embed/&lt;slug&gt;</code>, which runs no
          script. Anything else is <code>404</code>, and any other format <code>501</code>.
        </Entry>
        <Entry name={<code>GET &lt;page&gt;/feed.atom</code>}>
          An Atom feed of a category, of <code>/board/all</code>, <code>/board/today</code>, <code>/board/past</code>,
          or of a search: <code>/search/feed.atom?q=…</code>. <code>/feed.atom</code> has the newest listings. Pages
          announce their feed.
        </Entry>
      </dl>
    </section>
  )
}
