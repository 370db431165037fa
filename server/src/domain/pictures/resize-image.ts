import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { PICTURE_HEIGHT, PICTURE_MAX_BYTES, PICTURE_WIDTH, UnusableImage } from './drawing.ts'

const WIDTH_MIN = 200
const HEIGHT_MIN = 100
/** Decoding takes up to 5 bytes per pixel. */
const PIXELS_MAX = 24_000_000
/** AVIF takes 20 bytes per pixel: it is decoded completely, in several copies. */
const AVIF_PIXELS_MAX = 8_000_000
/** The largest part to crop to fill the frame. Beyond it, such as for a square logo, the whole image is shown. */
const CUT_MAX = 0.3
/** Largest difference per channel between corners of the same colour. */
const ALIKE_MAX = 12
const PAPER = '#fffdf6'
const INK = '#16181a'
/** An image without any darker channel, such as a white logo, can't be seen on paper. */
const LIGHT_MIN = 200
/** Tried in this order until the file is small enough. */
const QUALITIES = [78, 60, 40, 20, 5]

/** Only the decoders that web images need. SVG, PDF and the like stay blocked. */
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
 * Makes the stored picture from a stranger's image: its first frame, upright, 640×360, as WebP without metadata, at
 * most 80 KB. Call it only in a separate process: decoders have bugs, and some images are made to exploit them.
 *
 * @throws UnusableImage if it is not an image, is broken, too small or too large
 */
export async function makePicture(image: Buffer): Promise<Buffer> {
  try {
    return await encode(await frame(await decode(image)))
  } catch (error) {
    throw error instanceof UnusableImage ? error : new UnusableImage((error as Error).message)
  }
}

/** The first frame, upright and opaque, scaled down to work on. */
async function decode(image: Buffer): Promise<Sharp> {
  const input = sharp(image, { limitInputPixels: PIXELS_MAX, failOn: 'error', page: 0, pages: 1 })
  const { autoOrient, width, height, format } = await input.metadata()
  if (format === 'heif' && width * height > AVIF_PIXELS_MAX) throw new UnusableImage('too many pixels')
  if (autoOrient.width < WIDTH_MIN || autoOrient.height < HEIGHT_MIN) throw new UnusableImage('too small')
  const { data, info } = await input
    .autoOrient()
    .toColourspace('srgb')
    .resize({ width: 2 * PICTURE_WIDTH, height: 2 * PICTURE_WIDTH, fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scaled = sharp(data, { raw: info })
  if (info.channels < 4) return scaled
  const onPaper = await on(PAPER, scaled)
  const { channels } = await onPaper.stats()
  return channels.every(({ min }) => min >= LIGHT_MIN) ? on(INK, scaled) : onPaper
}

async function on(background: string, image: Sharp): Promise<Sharp> {
  const { data, info } = await image.clone().flatten({ background }).raw().toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: info })
}

/**
 * Fills the frame, cropping around the most salient part. An image that would lose too much is shown completely, on the
 * colour of its edge or on its own blur.
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

/** The colour of all four corners, as on logos; undefined if they differ. */
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
