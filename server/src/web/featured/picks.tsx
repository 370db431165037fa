import type { Picked } from '../../domain/featured/feature.ts'
import type { Drawn } from '../../domain/featured/read-draw.ts'
import { DRAW_PATH, type Links, PICKS_PATH } from '../../platform/http/links.ts'
import type { FeedEntry } from '../ui/atom.ts'
import { PageHead, Section } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { ListingPoster } from '../ui/listing-poster.tsx'
import { picksDrawing, pictureOf } from '../ui/share-picture.tsx'
import { Day } from '../ui/time.tsx'

/** The last pick, on the home page. */
export function LastPick({ pick }: { pick: Picked | undefined }) {
  if (!pick) return null
  return (
    <Section
      id="picked"
      title="Picked by the operator"
      note={
        <p class="soft">
          Not paid. Since <Day at={pick.at} />. <a href={PICKS_PATH}>All picks</a>
        </p>
      }
      look="picked"
    >
      <PickOne pick={pick} />
    </Section>
  )
}

const PickOne = ({ pick }: { pick: Picked }) => (
  <div class="pick-one">
    <div>
      <ListingPoster listing={pick} note="Picked" />
    </div>
    <blockquote>
      <p dir="auto">“{pick.note}”</p>
      <p class="by">
        <bdi>{pick.pickedBy}</bdi>, operator of this site
      </p>
    </blockquote>
  </div>
)

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
        scripts={['keep.js']}
      >
        <div class="wrap">
          <PageHead title="Picked by the operator">
            {picks.length > 0 ? 'Chosen by a person, and not paid.' : 'Nothing is picked now.'}{' '}
            <a href={PICKS_FEED.path}>Feed</a>
          </PageHead>
          {picks.map(pick => (
            <Section key={pick.id} id={`pick-${pick.id}`} title={<Day at={pick.at} />} look="picked">
              <PickOne pick={pick} />
            </Section>
          ))}
        </div>
      </Layout>,
    )

export const pickEntry = ({ id, slug, title, note, pickedBy, at, category }: Picked, links: Links): FeedEntry => ({
  id: `urn:uuid:${id}`,
  href: links.product(slug),
  title,
  summary: `${note} (${pickedBy})`,
  at,
  category,
})

/** The day's draw on the home page: a row to swipe on a phone. Nothing on a day without one. */
export function TenByLot({ drawn }: { drawn: readonly Drawn[] }) {
  if (drawn.length === 0) return null
  return (
    <Section
      id="by-lot"
      title="Ten by lot, today"
      note={
        <p class="soft">
          Drawn at midnight UTC. Money doesn’t change it. <a href={DRAW_PATH}>How the draw works</a>
        </p>
      }
      look="by-lot"
    >
      <Ten drawn={drawn} isSwiped noteOf={() => 'by lot'} />
    </Section>
  )
}

interface TenProps {
  drawn: readonly Drawn[]
  isSwiped?: boolean
  noteOf: (listing: Drawn) => string
}

/** The listings of a draw as posters, in their order. */
export const Ten = ({ drawn, isSwiped, noteOf }: TenProps) => (
  <ol class={isSwiped ? 'wall ten swipe' : 'wall ten'}>
    {drawn.map(listing => (
      <li key={listing.slug}>
        <ListingPoster listing={listing} note={noteOf(listing)} />
      </li>
    ))}
  </ol>
)
