import type { Picked } from '../../domain/featured/read-picks.ts'
import type { Links } from '../../platform/http/links.ts'
import { assetPath } from '../ui/assets.ts'
import type { FeedEntry } from '../ui/atom.ts'
import { Bill } from '../ui/bill.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { picksDrawing, pictureOf } from '../ui/share-picture.tsx'
import { Day } from '../ui/time.tsx'
import { PICKS_PATH } from './paths.ts'

/** The last pick, on the home page. */
export function LastPick({ pick }: { pick: Picked | undefined }) {
  if (!pick) return null
  return (
    <section class="sec picked" aria-labelledby="picked">
      <div class="sec-head">
        <h2 id="picked">Picked by the operator</h2>
        <p class="soft">
          Not paid. Since <Day at={pick.at} />. <a href={PICKS_PATH}>All picks</a>
        </p>
      </div>
      <PickOne pick={pick} />
    </section>
  )
}

const PickOne = ({ pick }: { pick: Picked }) => (
  <div class="pick-one">
    <div>
      <Bill listing={pick} note="Picked" />
    </div>
    <blockquote>
      <p dir="auto">“{pick.note}”</p>
      <p class="by">
        <bdi>{pick.pickedBy}</bdi>, operator of this site
      </p>
    </blockquote>
  </div>
)

/** The feed of the picks. */
export const PICKS_FEED = { path: `${PICKS_PATH}/feed.atom`, title: 'Picked by the operator' }

/** Renders all picks that are in force, latest first. */
export const renderPicks =
  (links: Links) =>
  (picks: readonly Picked[]): string =>
    renderDocument(
      <Layout
        links={links}
        isWall
        title="Picked by the operator"
        description={`What the operator of ${links.site.name} recommends. No one paid for it.`}
        path={PICKS_PATH}
        canonical={links.base + PICKS_PATH}
        sharePicture={pictureOf('picks', picksDrawing(links.site))}
        feed={PICKS_FEED}
        head={<script type="module" src={assetPath('keep.js')} />}
      >
        <div class="wrap">
          <div class="page-head">
            <h1>Picked by the operator</h1>
            <p class="lead">
              {picks.length > 0 ? 'Chosen by a person, and not paid.' : 'Nothing is picked now.'}{' '}
              <a href={PICKS_FEED.path}>Feed</a>
            </p>
          </div>
          {picks.map(pick => (
            <section class="sec picked" key={pick.id} aria-labelledby={`pick-${pick.id}`}>
              <div class="sec-head">
                <h2 id={`pick-${pick.id}`}>
                  <Day at={pick.at} />
                </h2>
              </div>
              <PickOne pick={pick} />
            </section>
          ))}
        </div>
      </Layout>,
    )

/** Returns a pick as an entry of the feed. */
export const pickEntry = ({ id, slug, title, note, pickedBy, at, category }: Picked, links: Links): FeedEntry => ({
  id: `urn:uuid:${id}`,
  href: links.product(slug),
  title,
  summary: `${note} (${pickedBy})`,
  at,
  category,
})
