import type { ComponentChildren } from 'preact'
import type { ListedRow } from '../../domain/listings/listed-row.ts'
import { picturePath } from '../../domain/pictures/drawing.ts'
import { dotted, initialsOf } from '../../domain/pictures/posters/name.ts'
import { drawArt, drawSign } from '../../domain/pictures/posters/poster.ts'
import { VIEW_WIDTH } from '../../domain/pictures/posters/shapes.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'

interface Sized {
  /** Of a sheet 400 wide. */
  height: number
  /** The content of the `svg`, from `domain/pictures/posters/`. */
  svg: string
}

/** A drawing on its sheet. It is hidden from screen readers, because the text next to it says the same. */
export const ArtSheet = ({ height, svg }: Sized) => (
  <svg
    class="art"
    viewBox={`0 0 ${VIEW_WIDTH} ${height}`}
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: svg }}
  />
)

type Pictured = Pick<ListedRow, 'slug' | 'title' | 'hostname' | 'category' | 'language' | 'pictureVersion'>

const POSTER_HEIGHT = 210

/** The picture of a listing as wide as a poster: its own, or drawn from its name. */
export function PosterPicture({ listing }: { listing: Pictured }) {
  const { slug, pictureVersion } = listing
  if (!pictureVersion) return <ArtSheet height={POSTER_HEIGHT} svg={drawArt(listing, POSTER_HEIGHT, 'initials')} />
  return <img src={picturePath(slug, pictureVersion)} width={640} height={336} alt="" />
}

/** The picture of a listing as a square: its own, or its initials. */
export function Thumb({ listing }: { listing: Pictured }) {
  const { slug, title, category, language, pictureVersion } = listing
  return pictureVersion ? (
    <img class="thumb" src={picturePath(slug, pictureVersion)} width={48} height={48} loading="lazy" alt="" />
  ) : (
    <span class={`thumb ${stockClass(category)}`} aria-hidden="true">
      {initialsOf(dotted(title, language))}
    </span>
  )
}

interface SignProps {
  /** A few short words in capitals, one below the other. They are decoration only. */
  sign: string
  /** The colour of the sheet. Without it, the sheet is an outline. */
  tone?: 'ink' | 'green'
  heading: string
  children: ComponentChildren
}

const SHEET_HEIGHT = 500

/** A page about an error or an end: a sheet in wood type, a heading, and what to do. */
export function SignPage({ sign, tone, heading, children }: SignProps) {
  return (
    <article class="err">
      <div class={`sign ${tone ?? 'plain'}`}>
        <ArtSheet height={SHEET_HEIGHT} svg={drawSign(sign, SHEET_HEIGHT)} />
      </div>
      <div>
        <h1>{heading}</h1>
        {children}
      </div>
    </article>
  )
}
