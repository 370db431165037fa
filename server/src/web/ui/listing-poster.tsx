import type { ComponentChildren } from 'preact'
import type { DatedRow, ListedRow } from '../../domain/listings/listed-row.ts'
import { picturePath } from '../../domain/pictures/drawing.ts'
import { dotted } from '../../domain/pictures/posters/name.ts'
import {
  drawArt,
  drawTitle,
  hashOf,
  kindOf,
  settableName,
  settableTitle,
  spellsTitle,
} from '../../domain/pictures/posters/poster.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { knownLanguage } from './format.ts'
import { ArtSheet } from './poster.tsx'
import { Age } from './time.tsx'

/** What a poster shows of a listing. Without a slug, it leads nowhere: the website is not listed yet. */
type Subject = Pick<ListedRow, 'title' | 'hostname' | 'category' | 'language' | 'pictureVersion'> & { slug?: string }

interface PosterProps {
  listing: Subject
  /** Above the picture. */
  head?: ComponentChildren
  /** At the end of the foot. */
  note?: ComponentChildren
  /** The colours. Without it, those of its category. */
  class?: string
  isLazy?: boolean
}

/** Heights of a drawing on a sheet 400 wide: alone above the foot, above a title, and below a picture. */
const ALONE = 434
const ABOVE_TITLE = 350
const BELOW_PICTURE = 226
/** Below a picture and above one line or two. */
const ABOVE_LINE = 186
const ABOVE_LINES = 148
const LINE_MAX_LENGTH = 24

/**
 * A listing as a poster: its own picture with the title below it, or a poster drawn from its name. What the drawing
 * spells of the title is added as text for screen readers.
 */
export function ListingPoster({ listing, head, note, isLazy = true, ...poster }: PosterProps) {
  const { slug = '', title, hostname, category, pictureVersion } = listing
  const { art, spelt, rest } = artOf(listing)
  const size = art ? undefined : sizeOf(title)
  const look = WIDE.test(title) ? [size, 'square'].filter(Boolean).join(' ') : size
  const print = poster.class ?? `${stockClass(category)}${isInverted(hostname) ? ' inv' : ''}`
  return (
    <article class={`bill${art ? ' drawn' : ''} ${print}`} data-keep={slug}>
      {head}
      {pictureVersion && (
        <img
          src={picturePath(slug, pictureVersion)}
          width={640}
          height={336}
          loading={isLazy ? 'lazy' : undefined}
          alt=""
        />
      )}
      {art}
      <div>
        <h3 class={look} dir="auto" lang={knownLanguage(listing.language)}>
          <a
            class={rest === '' || (size && size !== 't3') ? undefined : 'clamp'}
            {...(slug && { href: `/product/${slug}` })}
          >
            {spelt && <span class="unseen">{spelt}</span>}
            {rest}
          </a>
        </h3>
        <p class="foot">
          <span>
            <bdi dir="ltr">{hostname}</bdi>
          </span>
          {note && <span>{note}</span>}
        </p>
      </div>
    </article>
  )
}

/** The drawing, the part of the title that it spells, and the rest. */
function artOf(listing: Subject): { art?: ComponentChildren; spelt?: string; rest: string } {
  const { title, language, pictureVersion } = listing
  if (pictureVersion) {
    const whole = settableTitle(title)
    if (whole !== undefined) return { art: below(dotted(whole, language), BELOW_PICTURE), spelt: title, rest: '' }
    const parts = settableName(title)
    if (!parts) return { rest: title }
    const { name, separator, rest } = parts
    const height = rest.length <= LINE_MAX_LENGTH ? ABOVE_LINE : ABOVE_LINES
    return { art: below(dotted(name, language), height), spelt: name + separator, rest }
  }
  const kind = kindOf(listing)
  const isSpelt = spellsTitle(kind, title)
  const height = isSpelt ? ALONE : ABOVE_TITLE
  const art = <ArtSheet height={height} svg={drawArt(listing, height, kind)} />
  return isSpelt ? { art, spelt: title, rest: '' } : { art, rest: title }
}

const below = (name: string, height: number) => <ArtSheet height={height} svg={drawTitle(name, height)} />

/** One poster in four has inverted colours, depending on the host name. */
const isInverted = (hostname: string) => hashOf(`${hostname}~`) % 4 === 0

const WIDE = /[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/
const RATHER_WIDE = /[\u0590-\u0eff]/

/**
 * Returns the size of a title, by the width of its characters: its longest word must fit in one line, and the title in
 * three. Only titles that are too long for the smallest size are cut.
 */
function sizeOf(title: string): string {
  const [room, longest] = [roomOf(title), WIDE.test(title) ? 0 : Math.max(...title.split(/[\s-]/).map(roomOf))]
  if (room <= 9) return 't0'
  if (room <= 20 && longest <= 12) return 't1'
  return room <= 46 && longest <= 14 && linesOf(title) <= LINES_MAX ? 't2' : 't3'
}

const LINES_MAX = 3
/** The characters in a line of `t2`: square ones, and Latin letters. */
const [SQUARE_LINE, LINE] = [11.5, 15]
/** Capitals are wider. */
const CAPITAL = /\p{Lu}/gu

/** Returns about how many lines a title has in the size `t2`. */
function linesOf(title: string): number {
  const width = (text: string) => roomOf(text) + 0.3 * (text.match(CAPITAL)?.length ?? 0)
  if (WIDE.test(title)) return Math.ceil(width(title) / SQUARE_LINE)
  let [lines, taken] = [0, LINE]
  for (const word of title.split(/\s/)) {
    const own = width(word)
    if (taken + 1 + own > LINE) [lines, taken] = [lines + 1, own]
    else taken += 1 + own
  }
  return lines
}

function roomOf(text: string): number {
  let room = 0
  for (const character of text) room += WIDE.test(character) ? 1.9 : RATHER_WIDE.test(character) ? 1.6 : 1
  return room
}

interface WallProps {
  listings: readonly DatedRow[]
  now: number
  /** How to say when a listing was published. */
  When?: typeof Age
  class?: string
  /** Whether the listings are of several categories. */
  saysCategory?: boolean
  /** More list items. */
  children?: ComponentChildren
}

/** Listings as posters, with their descriptions. */
export function Wall({ listings, now, When = Age, ...wall }: WallProps) {
  return (
    <ul class={wall.class ? `wall ${wall.class}` : 'wall'}>
      {listings.map(listing => (
        <li key={listing.slug}>
          <ListingPoster
            listing={listing}
            note={listing.expiresAt === null ? 'Paid place' : <When at={listing.publishedAt} now={now} />}
          />
          {listing.description && (
            <p class="words clamp2" dir="auto" lang={knownLanguage(listing.language)}>
              {listing.description}
            </p>
          )}
          {wall.saysCategory && <p class="meta">{listing.category}</p>}
        </li>
      ))}
      {wall.children}
    </ul>
  )
}
