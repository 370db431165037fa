import { DRAW_DAYS_BETWEEN, DRAW_SIZE, DRAWS_PATH } from '@placard/contract'
import { candidatesPath } from '../../domain/featured/api.ts'
import type { FullDraw } from '../../domain/featured/read-draw.ts'
import { SUPPORT_DAYS } from '../../platform/db/tables/retention.ts'
import { DRAW_PATH, drawPath, type Links } from '../../platform/http/links.ts'
import { lazily } from '../../platform/lib/lazily.ts'
import { dayText } from '../../platform/lib/text.ts'
import { EarlierAndLater } from '../boards/parts.tsx'
import { CopyButton, Fact, PageHead, Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { drawDrawing, pictureOf } from '../ui/share-picture.tsx'
import { Clock } from '../ui/time.tsx'
import { Ten } from './picks.tsx'

/** The draw of a day, as plain data, so that an unchanged page is not rendered again. */
export interface DrawView {
  draw: FullDraw
  /** The nearest days with a draw. */
  earlier: string | undefined
  later: string | undefined
  isToday: boolean
}

export const DRAW_FEED = { path: `${DRAW_PATH}/feed.atom`, title: 'Ten by lot' }

const weekdayFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }))
const textOf = (day: string) => dayText(Date.parse(day))
const ORDINALS = lazily(() => new Intl.PluralRules('en', { type: 'ordinal' }))
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinal = (place: number) => `${place}${ENDINGS[ORDINALS().select(place)] ?? 'th'}`

/** Renders the listings that were drawn on a day, and how to check it. */
export const renderDraw =
  (links: Links) =>
  (view: DrawView): string => {
    const { draw, earlier, later, isToday } = view
    const { day } = draw
    const shown = draw.drawn.filter(({ isShown }) => isShown > 0)
    return renderDocument(
      <Layout
        links={links}
        isWall
        title={`Ten by lot: ${textOf(day)}`}
        description={`The listings that were drawn by lot on ${textOf(day)}. Each had the same chance, paid or not.`}
        path={drawPath(day)}
        canonical={links.base + drawPath(day)}
        sharePicture={pictureOf(`draw-${day}`, drawDrawing(day, links.site))}
        feed={DRAW_FEED}
        scripts={['copy.js', 'keep.js']}
      >
        <div class="wrap">
          <PageHead title="Ten by lot">
            {weekdayFormat().format(Date.parse(day))}. Every listing has the same chance, once in {DRAW_DAYS_BETWEEN}{' '}
            days at most. Paying changes nothing here.
          </PageHead>
          <h2 class="unseen">Listings</h2>
          <Ten drawn={shown} noteOf={({ place }) => `drawn ${ordinal(place)}`} />
          <Missing draw={draw} />
          <HowToCheck draw={draw} links={links} />
          {draw.drawn.length > 0 && <Result draw={draw} />}
          <EarlierAndLater
            earlier={!!earlier && { path: drawPath(earlier), text: textOf(earlier) }}
            later={!!later && { path: drawPath(later), text: textOf(later) }}
          />
          <p class="soft">
            {isToday && 'The next ten are drawn at midnight UTC. '}
            <a href={DRAW_FEED.path}>Feed</a>
          </p>
        </div>
      </Layout>,
    )
  }

/** Says why there are fewer than ten. */
function Missing({ draw: { drawn, candidates } }: Pick<DrawView, 'draw'>) {
  const gone = drawn.filter(({ isShown }) => isShown === 0).length
  return (
    <>
      {candidates < DRAW_SIZE && (
        <p class="later">
          {candidates === 0
            ? 'No listing could be drawn: there was none, or all'
            : `Only ${candidates === 1 ? '1 listing' : `${candidates} listings`} could be drawn: the others`}{' '}
          were new, were drawn in the {DRAW_DAYS_BETWEEN - 1} days before, or were left out by the operator.
        </p>
      )}
      {gone > 0 && (
        <p class="later">{gone === 1 ? '1 listing that was drawn is' : `${gone} that were drawn are`} no longer up.</p>
      )}
    </>
  )
}

function HowToCheck({ draw, links }: Pick<DrawView, 'draw'> & { links: Links }) {
  const isListGone = draw.pages > 0 && draw.hasList === 0
  return (
    <Section id="check" title="How to check it" note={<p class="soft">You don’t have to trust us.</p>}>
      <div class="checked">
        <ol class="way">
          <li>
            <b aria-hidden="true">1</b>
            <div>
              <h3>Who takes part</h3>
              <p>
                Every listing from before midnight UTC that is up, unless it was drawn in the {DRAW_DAYS_BETWEEN - 1}{' '}
                days before or the operator left it out. The list is public for {SUPPORT_DAYS} days, its hash
                permanently.
              </p>
            </div>
          </li>
          <li>
            <b aria-hidden="true">2</b>
            <div>
              <h3>The seed</h3>
              <p>
                The seed is the root of <a href="/proof">the open log</a> at midnight UTC. No buyer or owner can know it
                before.
              </p>
            </div>
          </li>
          <li>
            <b aria-hidden="true">3</b>
            <div>
              <h3>The lowest hashes win</h3>
              <p>
                For each listing, take the SHA-256 of the seed, a zero byte and the listing’s name here. The {DRAW_SIZE}{' '}
                lowest are the day’s, in that order.
              </p>
            </div>
          </li>
        </ol>
        <div>
          {!isListGone && (
            <>
              <div class="bar">
                <h3>Run it yourself</h3>
                <CopyButton source="draw-command" label="Copy command" />
              </div>
              <pre class="prompt" id="draw-command">
                {commandOf(draw, links)}
              </pre>
            </>
          )}
          <h3 class="sub">The facts</h3>
          <dl class="facts">
            <Fact name="Listings that took part">{draw.candidates.toLocaleString('en')}</Fact>
            <Fact name="Hash of the list">
              <code>{draw.candidatesHash.slice(0, 24)}…</code>
            </Fact>
            <Fact name="Seed">
              <code>{draw.seed.slice(0, 24)}…</code>
            </Fact>
            {draw.logSize !== null && <Fact name="Entries in the log">{draw.logSize.toLocaleString('en')}</Fact>}
            <Fact name="Drawn">
              <Clock at={draw.at} /> UTC
            </Fact>
          </dl>
          <p class="soft small">
            As <a href={`${DRAWS_PATH}/${draw.day}`}>JSON</a>.
            {!isListGone && (
              <>
                {' '}
                With our command: <code>{`npx -y ${links.client} verify draw ${draw.day}`}</code>
              </>
            )}
          </p>
        </div>
      </div>
    </Section>
  )
}

/** Repeats the draw with a shell. Lots are as long as each other, so that sorting them needs no number. */
const commandOf = ({ day, seed, pages }: FullDraw, { base }: Links): string => `seed=${seed}
list=${base}${candidatesPath(day)}
for page in $(seq ${pages}); do curl -s "$list/$page.txt"; done |
while read -r slug; do
  lot=$(printf '%s\\0%s' "$seed" "$slug" | sha256sum)
  echo "\${lot%% *} $slug"
done | sort | head`

const Result = ({ draw }: Pick<DrawView, 'draw'>) => (
  <Section id="drawn" title="What was drawn">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard */}
    <section class="scroll" tabIndex={0} aria-label="Listings with their hashes">
      <table class="lots">
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Listing</th>
            <th scope="col">Category</th>
            <th scope="col">Hash, first 16 digits</th>
          </tr>
        </thead>
        <tbody>
          {draw.drawn.map(({ place, slug, hostname, category, isShown, lot }) => (
            <tr key={slug}>
              <td>{place}</td>
              <td>
                {isShown > 0 ? (
                  <a href={`/product/${slug}`}>
                    <bdi dir="ltr">{hostname}</bdi>
                  </a>
                ) : (
                  'No longer up'
                )}
              </td>
              <td>{isShown > 0 && category}</td>
              <td>
                <code>{lot.slice(0, 16)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </Section>
)

/** Returns a draw as an entry of the feed. @param titles of its listings that are still up */
export const drawEntry = (
  { day, at, titles }: { day: string; at: number; titles: readonly string[] },
  links: Links,
) => ({
  id: links.base + drawPath(day),
  href: links.base + drawPath(day),
  title: `Ten by lot: ${textOf(day)}`,
  summary: titles.join('; '),
  at,
})

/** Shown before the first draw. */
export const renderNoDraw = (links: Links): string =>
  renderDocument(
    <Layout links={links} isWall title="Ten by lot" description="Each day at midnight UTC, ten listings are drawn.">
      <div class="wrap">
        <PageHead title="Ten by lot">
          Nothing was drawn yet. Each day at midnight UTC, {DRAW_SIZE} listings are drawn, each with the same chance.
        </PageHead>
      </div>
    </Layout>,
  )
