import type { Links } from '../../http/links.ts'
import { Copied } from '../listing/share.tsx'

interface HearProps {
  claimId: string
  /** Of the listing’s feed, if it has one. */
  feedToken: string | undefined
  links: Links
}

/** How an owner hears of what happens, without an account. */
export function Hear({ claimId, feedToken, links }: HearProps) {
  const path = `/manage/${claimId}`
  return (
    <section class="sec" aria-labelledby="hear">
      <div class="sec-head">
        <h2 id="hear">Hear about it</h2>
        <p class="small soft">
          When others move ahead of you, a week before your listing ends, or if your page stops loading.
        </p>
      </div>
      <ul class="acts-list">
        <Feed action={`${path}/feed`} address={feedToken && links.noticeFeed(feedToken)} />
      </ul>
    </section>
  )
}

function Feed({ action, address }: { action: string; address: string | undefined }) {
  return (
    <li>
      <div>
        <h3>Feed</h3>
        <p>
          A private Atom feed for your feed reader. Whoever has its address can read it, and nothing more. It
          ends when you renew the private link.
        </p>
      </div>
      <form method="post" action={action}>
        {address && <Copied id="feed-address" name="Address of the feed" value={address} />}
        <p class="row">
          <button class="btn" type="submit" name="do" value="renew">
            {address ? 'New address' : 'Get a feed'}
          </button>
          {address && (
            <button class="btn" type="submit" name="do" value="off">
              Turn off
            </button>
          )}
        </p>
      </form>
    </li>
  )
}
