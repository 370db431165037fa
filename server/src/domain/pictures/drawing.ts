import { hash } from 'node:crypto'
import type { Board } from '@placard/contract'
import type { Site } from '../../platform/config/site.ts'
import type { Searchable } from '../search/entries.ts'

export interface Brand {
  name: string
  /** Colours of the board, and of the text on it. */
  paper: string
  ink: string
}

export const brandOf = ({ name, accent: { light } }: Site): Brand => ({
  name,
  paper: light.board,
  ink: light.onBoard,
})

/** A listing's words come from strangers, and none of them gets into the drawing as markup. */
type Listed = Pick<Searchable, 'title' | 'hostname' | 'language'>

/** A place on a board, on a day. Other websites may cache the picture for longer. */
export interface Placed {
  board: Board
  /** From 1. */
  rank: number
  /** The UTC day, as YYYY-MM-DD, on the board of today; null on that of all time. */
  day: string | null
}

export interface ListingDrawing extends Listed {
  kind: 'listing'
  brand: Brand
  category: string
  /** What says that its place is paid; null if it has none. */
  paid: string | null
  place: Placed | null
  /** The version of the stored picture, or null. */
  version: string | null
}

export interface BoardDrawing {
  kind: 'board'
  brand: Brand
  heading: string
  /** Below the heading. */
  note: string
  /** The first three, or fewer. */
  places: Listed[]
  /** In capitals: shown while there are no places, with a price only if places are for sale. */
  offer: string
}

/** Listings as posters, for a collection of them. */
export interface PostersDrawing {
  kind: 'bills'
  brand: Brand
  /** Below the posters. */
  note: string
  /** One to six. */
  bills: (Listed & { category: string })[]
}

/** For all other pages. */
export interface SiteDrawing {
  kind: 'site'
  brand: Brand
  tagline: string
  note: string
}

/** The first letter of the name, on a square. */
export interface IconDrawing {
  kind: 'icon'
  brand: Brand
  /** In pixels. */
  size: number
  /** Whether a system may cut off all but a circle (W3C: maskable). */
  isMaskable: boolean
}

/** Everything that a picture shows, so that another rank or title makes another picture. */
export type Drawing = ListingDrawing | BoardDrawing | PostersDrawing | SiteDrawing | IconDrawing

/** Raise it whenever the drawing changes, so that no cache keeps an old one. */
const DRAWING = 7

/** Returns the key of a picture, from everything that it shows. */
export const drawingKey = (drawing: Drawing): string => hash('sha256', JSON.stringify([DRAWING, drawing]), 'base64url')

/**
 * Returns the part of the key in addresses. A changed picture gets a new address, because others cache it by address.
 */
export const drawingVersion = (drawing: Drawing): string => drawingKey(drawing).slice(0, 12)

/** Returns the address of the stored picture of a listing, 640×360. The version makes the address unique. */
export const picturePath = (slug: string, version: string): string => `/picture/${slug}?v=${version}`

/**
 * Returns the path of a listing's share picture: a PNG, 1200×630. Networks cache a picture by its address for days, so
 * the address changes with everything that the picture shows. The version in a request never reaches the drawing.
 *
 * @param version of its content (`drawingVersion`)
 */
export const sharePicturePath = (slug: string, version: string): string => `/picture/${slug}/share.png?v=${version}`

/** Size of a stored picture, as shown on cards, in pixels. */
export const PICTURE_WIDTH = 640
export const PICTURE_HEIGHT = 360
export const PICTURE_MAX_BYTES = 80 * 1024
export const PICTURE_MEDIA_TYPE = 'image/webp'

/** Size of a share picture, in pixels. */
export const SHARE_WIDTH = 1200
export const SHARE_HEIGHT = 630

/** Far more than any share picture needs. */
export const SHARE_MAX_BYTES = 2 * 1024 * 1024

/** An image that cannot be used, now or later. */
export class UnusableImage extends Error {}

/** The picture process's exit code for an `UnusableImage`. */
export const UNUSABLE_EXIT_CODE = 3
