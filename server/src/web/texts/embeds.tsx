import { EMBED_SECONDS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'

/** What other websites may show. Not part of the contract: no agent needs it. */
export function Embeds({ links }: { links: Links }) {
  return (
    <section>
      <h2 id="embeds">Badges and oEmbed</h2>
      <p>
        For other websites, and only of listings that are up. What they show may be {EMBED_SECONDS} seconds
        old.
      </p>
      <dl class="fields">
        <div>
          <dt>
            <code>GET /badge/&lt;slug&gt;.svg</code>
          </dt>
          <dd>
            A badge with the listing’s rank of all time, labelled as paid; with <code>?board=today</code>, its
            rank today. <code>?style=dark</code> and <code>?style=plain</code> suit other backgrounds.{' '}
            <code>410</code> while the listing is down.
          </dd>
        </div>
        <div>
          <dt>
            <code>GET /oembed?url=&lt;page&gt;&amp;format=json</code>
          </dt>
          <dd>
            oEmbed 1.0 for addresses like <code>{links.product('…')}</code>, with <code>maxwidth</code> and{' '}
            <code>maxheight</code>. Anything else is <code>404</code>, and any other format <code>501</code>.
          </dd>
        </div>
      </dl>
    </section>
  )
}
