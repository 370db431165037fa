import type { Drawn } from '../../domain/featured/read-draw.ts'
import { DRAW_PATH } from '../../platform/http/links.ts'
import { Bill } from '../ui/bill.tsx'
import { Section } from '../ui/elements.tsx'

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
        <Bill listing={listing} note={noteOf(listing)} />
      </li>
    ))}
  </ol>
)
