import type { Links } from '../../http/links.ts'

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
          It is on your receipt and ends in <code>#owner=</code> and a long key. If you just opened it, your
          browser may be blocking cookies here: allow them and open the link again.
        </p>
        <p>
          Lost it? Your agent can <a href="/support">recover the receipt</a>.
        </p>
      </div>
      <div class="callout" data-state="wrong-key" hidden>
        <p>
          <strong>This link does not open a listing.</strong>
        </p>
        <p>
          It may be incomplete, or a newer one may have replaced it. Copy the whole link from your receipt, up
          to its last character. Your agent can <a href="/support">recover the receipt</a>; if that does not
          help, <a href={links.support}>get help</a>.
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
