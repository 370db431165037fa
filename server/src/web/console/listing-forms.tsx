import { DISPLAY_DAYS } from '@placard/contract'
import type { Case } from '../../console/queue.ts'
import { NOT_CHANGED } from '../../moderation/terms.ts'
import type { LinkIdentity } from '../../ownership/owner-token.ts'
import { Minute } from '../ui/time.tsx'
import { caseValue } from './case-value.ts'
import { type ConsoleView, renderConsole } from './frame.tsx'

/** The end of a listing: ending it, or giving it more days. */
export function TermForm({ found, now }: { found: Case; now: number }) {
  const { slug, expiresAt, hiddenAt } = found.listing
  const isFree = expiresAt !== null && hiddenAt === null
  return (
    <section class="console-sec" aria-labelledby="term">
      <h2 id="term">Its end</h2>
      {!isFree && <p class="soft">It {NOT_CHANGED[hiddenAt === null ? 'paid' : 'hidden']}.</p>}
      {isFree && (
        <form class="console-words" method="post" action="/console/term">
          <input type="hidden" name="slug" value={slug} />
          <input type="hidden" name="case" value={caseValue(found)} />
          <p>
            It {expiresAt > now ? 'ends' : 'ended'} <Minute at={expiresAt} />.
          </p>
          <p>
            <label for="term-why">Why its end changes</label>
            <input type="text" id="term-why" name="explanation" maxLength={500} required autocomplete="off" />
          </p>
          <p class="hint">Its owner can read this, and contest an early end.</p>
          <p>
            <label for="days">Days from now</label>
            <input
              type="number"
              id="days"
              name="days"
              min={1}
              max={DISPLAY_DAYS}
              value={DISPLAY_DAYS}
              required
            />
          </p>
          <p class="appeal-do">
            <button class="btn" type="submit" name="to" value="extend">
              Give it these days
            </button>
            {expiresAt > now && (
              <button class="btn" type="submit" name="to" value="end">
                End it now
              </button>
            )}
          </p>
        </form>
      )}
    </section>
  )
}

/** For an owner who has lost the private link, and has shown elsewhere who they are. */
export function ReissueForm({ slug, link }: { slug: string; link: LinkIdentity | undefined }) {
  return (
    <section class="console-sec" aria-labelledby="link">
      <h2 id="link">A lost private link</h2>
      {!link && <p class="soft">It was paid for without a submission, and never had a private link.</p>}
      {link && (
        <form class="console-words" method="post" action="/console/reissue">
          <input type="hidden" name="slug" value={slug} />
          <input type="hidden" name="version" value={link.linkVersion} />
          <p>
            First see that whoever asks is the owner. The old link ends at once; the new one is shown to you,
            once.
          </p>
          <p>
            <label for="reissue-why">How they have shown that</label>
            <input
              type="text"
              id="reissue-why"
              name="explanation"
              maxLength={500}
              required
              autocomplete="off"
            />
          </p>
          <p class="hint">The owner can read this. Write nothing that others should not know.</p>
          <p>
            <button class="btn" type="submit">
              End the old link, and show a new one
            </button>
          </p>
        </form>
      )}
    </section>
  )
}

interface Reissued {
  view: ConsoleView
  slug: string
  privateLink: string
}

/** The only page that ever shows a reissued link. */
export const renderReissued = ({ view, slug, privateLink }: Reissued): string =>
  renderConsole({
    view,
    title: 'A new private link',
    children: (
      <>
        <div class="console-head">
          <h1>A new private link</h1>
          <p class="lead">
            Copy it now: it is shown only here, and only once. The old link no longer works, and a repeat of
            the submission returns the new one.
          </p>
        </div>
        <pre class="console-link">{privateLink}</pre>
        <p>Send it to the owner as you would send a password, and to nobody else.</p>
        <p>
          <a class="btn" href={`/console/listing/${slug}`}>
            I’ve copied it, back to the listing
          </a>
        </p>
      </>
    ),
  })
