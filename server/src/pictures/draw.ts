import type { Sharp } from 'sharp'
import { drawBoard } from './draw-board.ts'
import { drawIcon } from './draw-icon.ts'
import { drawListing } from './draw-listing.ts'
import { drawSite } from './draw-site.ts'
import type { Drawing } from './drawing.ts'

/** Few inks, and the shades between them: sixteen colours are enough. */
const FEW_INKS = { palette: true, colours: 16, effort: 1, dither: 0 } as const

/**
 * Draws a picture with words: of what is shared, 1200×630, or an icon.
 *
 * @param picture the stored picture of a listing that has one
 * @returns a PNG
 */
export async function draw(drawing: Drawing, picture: Uint8Array | null): Promise<Buffer> {
  const sheet = await printed(drawing, picture)
  return sheet.png(picture ? {} : FEW_INKS).toBuffer()
}

function printed(drawing: Drawing, picture: Uint8Array | null): Promise<Sharp> {
  switch (drawing.kind) {
    case 'listing':
      return drawListing(drawing, picture)
    case 'board':
      return drawBoard(drawing)
    case 'site':
      return drawSite(drawing)
    case 'icon':
      return drawIcon(drawing)
  }
}
