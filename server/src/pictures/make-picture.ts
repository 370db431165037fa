import sharp, { type Sharp } from 'sharp'
import { PICTURE_HEIGHT, PICTURE_MAX_BYTES, PICTURE_WIDTH, UnusableImage } from './size.ts'

const WIDTH_MIN = 200
const HEIGHT_MIN = 100
/** Decoding takes up to 5 bytes a pixel. */
const PIXELS_MAX = 24_000_000
/** AVIF is decoded whole, several times over: 20 bytes a pixel. */
const AVIF_PIXELS_MAX = 8_000_000
/** What is cut away at most to fill the frame: a logo that is square is shown whole instead. */
const CUT_MAX = 0.3
/** Between two corners of one colour, in each channel. */
const ALIKE_MAX = 12
const PAPER = '#fffdf6'
/** Tried one after the other until the bytes fit. */
const QUALITIES = [78, 60, 40, 20, 5]

/** Decoders that images of the web need, and no other: SVG, PDF and the like stay closed. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
})
sharp.cache(false)
sharp.concurrency(1)

/**
 * Makes the stored picture from an image of a stranger: its first frame, turned upright, 640×360, WebP without any
 * metadata, at most 80 KB. Call it in a process of its own only: decoders have bugs, and some images are made to find
 * them.
 *
 * @throws UnusableImage when it is none, is broken, too small or too large
 */
export async function makePicture(image: Buffer): Promise<Buffer> {
  try {
    return await encode(await frame(await decode(image)))
  } catch (error) {
    throw error instanceof UnusableImage ? error : new UnusableImage((error as Error).message)
  }
}

/** The first frame, upright and opaque, small enough to be worked on. */
async function decode(image: Buffer): Promise<Sharp> {
  const input = sharp(image, { limitInputPixels: PIXELS_MAX, failOn: 'error', page: 0, pages: 1 })
  const { autoOrient, width, height, format } = await input.metadata()
  if (format === 'heif' && width * height > AVIF_PIXELS_MAX) throw new UnusableImage('too many pixels')
  if (autoOrient.width < WIDTH_MIN || autoOrient.height < HEIGHT_MIN) throw new UnusableImage('too small')
  const { data, info } = await input
    .autoOrient()
    .flatten({ background: PAPER })
    .toColourspace('srgb')
    .resize({ width: 2 * PICTURE_WIDTH, height: 2 * PICTURE_WIDTH, fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: info })
}

/**
 * Fills the frame, from the part that draws the eye. What would lose too much stands whole, on the colour of its edge or
 * before its own blur.
 */
async function frame(image: Sharp): Promise<Sharp> {
  const size = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT }
  const { width, height } = await image.metadata()
  const shape = width / height / (PICTURE_WIDTH / PICTURE_HEIGHT)
  if (1 - Math.min(shape, 1 / shape) <= CUT_MAX) {
    return image.resize({ ...size, fit: 'cover', position: sharp.strategy.attention })
  }
  const whole = image.clone().resize({ ...size, fit: 'inside' })
  const edge = await edgeColour(whole)
  if (edge) return image.resize({ ...size, fit: 'contain', background: edge })
  const behind = image
    .clone()
    .resize({ ...size, fit: 'cover' })
    .blur(30)
  return sharp(await behind.png().toBuffer()).composite([{ input: await whole.png().toBuffer() }])
}

/** The colour all four corners have, as on logos; undefined where they differ. */
async function edgeColour(image: Sharp): Promise<{ r: number; g: number; b: number } | undefined> {
  const { data, info } = await image.clone().raw().toBuffer({ resolveWithObject: true })
  const pixel = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels
    return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0] as const
  }
  const [right, bottom] = [info.width - 1, info.height - 1]
  const [[r, g, b], ...others] = [pixel(0, 0), pixel(right, 0), pixel(0, bottom), pixel(right, bottom)]
  const alike = others.every(other =>
    [r, g, b].every((value, channel) => Math.abs(value - (other[channel] ?? 0)) <= ALIKE_MAX),
  )
  return alike ? { r, g, b } : undefined
}

async function encode(picture: Sharp): Promise<Buffer> {
  for (const quality of QUALITIES) {
    const bytes = await picture.clone().webp({ quality, effort: 5 }).toBuffer()
    if (bytes.length <= PICTURE_MAX_BYTES) return bytes
  }
  throw new UnusableImage('too many bytes')
}
