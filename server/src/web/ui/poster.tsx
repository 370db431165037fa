import type { ComponentChildren } from 'preact'
import { picturePath } from '../../domain/pictures/drawing.ts'
import { initialsOf } from '../../domain/pictures/posters/name.ts'
import { type Drawn, drawArt, drawSign } from '../../domain/pictures/posters/poster.ts'
import { VIEW_WIDTH } from '../../domain/pictures/posters/shapes.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'

interface Sized {
  /** Of a sheet 400 wide. */
  height: number
  /** What stands in it, as `art/` drew it. */
  svg: string
}

/** A drawing on its sheet. It says nothing that the words beside it do not. */
export const ArtSheet = ({ height, svg }: Sized) => (
  <svg
    class="art"
    viewBox={`0 0 ${VIEW_WIDTH} ${height}`}
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: svg }}
  />
)

export interface Pictured extends Drawn {
  slug: string
  category: string
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
}

const POSTER_HEIGHT = 210

/** The picture of a listing as wide as a poster: its own, or drawn from its name. */
export function PosterPicture({ listing, isLazy }: { listing: Pictured; isLazy?: boolean }) {
  const { slug, pictureVersion } = listing
  if (!pictureVersion) return <ArtSheet height={POSTER_HEIGHT} svg={drawArt(listing, POSTER_HEIGHT, 'initials')} />
  return (
    <img
      src={picturePath(slug, pictureVersion)}
      width={640}
      height={336}
      loading={isLazy ? 'lazy' : undefined}
      alt=""
    />
  )
}

/** The same as a square in a row: its picture, or its initials. */
export function Thumb({ listing }: { listing: Pictured }) {
  const { slug, title, category, pictureVersion } = listing
  return pictureVersion ? (
    <img class="thumb" src={picturePath(slug, pictureVersion)} width={48} height={48} loading="lazy" alt="" />
  ) : (
    <span class={`thumb ${stockClass(category)}`} aria-hidden="true">
      {initialsOf(title)}
    </span>
  )
}

interface SignProps {
  /** Some short words in capitals, one below the other. They only decorate. */
  sign: string
  /** Of the sheet; else it is an outline. */
  tone?: 'ink' | 'green'
  heading: string
  children: ComponentChildren
}

const SHEET_HEIGHT = 500

/** A page that says no, or that something is over: a sheet in wood type, a heading, and what to do. */
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
