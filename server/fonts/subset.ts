/**
 * Cuts the fonts of pages out of their packages: only letters, weights and widths that our style sheets use, half of the
 * bytes. harfbuzzjs brings the subsetter as WebAssembly without a wrapper, so its C interface is called here.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compress, decompress } from 'woff2-encoder'

interface WebFont {
  /** A file of a `@fontsource-variable` package. */
  from: string
  /** Unicode ranges, both ends included. */
  letters: readonly (readonly [first: number, last: number])[]
  widths: readonly [narrowest: number, widest: number]
}

const EVERY = [[0, 0xffff]] as const
/** The letters of Europe, apart from the rest of extended Latin. */
const EUROPE = [
  [0x100, 0x17f],
  [0x218, 0x21b],
] as const
const EXT = 'archivo/files/archivo-latin-ext-standard-normal.woff2'

/** By the name in `fonts.css`. Only the first needs wide type, for posters; the others stop at the width of text. */
export const WEB_FONTS: Readonly<Record<string, WebFont>> = {
  'archivo-latin': { from: 'archivo/files/archivo-latin-standard-normal.woff2', letters: EVERY, widths: [62, 125] },
  'archivo-latin-ext': { from: EXT, letters: EUROPE, widths: [62, 100] },
  'archivo-latin-rest': { from: EXT, letters: EVERY, widths: [62, 100] },
  'archivo-vietnamese': {
    from: 'archivo/files/archivo-vietnamese-standard-normal.woff2',
    letters: EVERY,
    widths: [62, 100],
  },
  'noto-sans-cyrillic': {
    from: 'noto-sans/files/noto-sans-cyrillic-standard-normal.woff2',
    letters: EVERY,
    widths: [62.5, 100],
  },
  'noto-sans-greek': {
    from: 'noto-sans/files/noto-sans-greek-standard-normal.woff2',
    letters: EVERY,
    widths: [62.5, 100],
  },
}

const WEIGHTS = [400, 900] as const
/** Kerning, accents, and figures of the same width. */
const FEATURES = ['kern', 'mark', 'mkmk', 'ccmp', 'locl', 'tnum']
/** Constants of hb.h and hb-subset.h. */
const [WRITABLE, LAYOUT_FEATURES, NO_HINTING] = [2, 6, 1]

type Harfbuzz = Record<string, (...values: number[]) => number> & { memory: WebAssembly.Memory }

const require = createRequire(import.meta.url)
const wasm = readFileSync(require.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
const { instance } = await WebAssembly.instantiate(wasm, {})
const hb = instance.exports as unknown as Harfbuzz

const tagOf = (name: string) => Buffer.from(name).readUInt32BE()

/** Returns a font of pages as WOFF2. @throws Error if the font can't be cut */
export async function webFont({ from, letters, widths }: WebFont): Promise<Uint8Array> {
  const font = await decompress(readFileSync(require.resolve(`@fontsource-variable/${from}`)))
  const at = call('malloc', font.byteLength)
  new Uint8Array(hb.memory.buffer).set(font, at)
  const face = call('hb_face_create', call('hb_blob_create', at, font.byteLength, WRITABLE, 0, 0), 0)
  const input = call('hb_subset_input_create_or_fail')
  const wanted = call('hb_subset_input_unicode_set', input)
  for (const [first, last] of letters) {
    for (let letter = first; letter <= last; letter++) call('hb_set_add', wanted, letter)
  }
  const features = call('hb_subset_input_set', input, LAYOUT_FEATURES)
  call('hb_set_clear', features)
  for (const feature of FEATURES) call('hb_set_add', features, tagOf(feature))
  call('hb_subset_input_set_flags', input, NO_HINTING)
  call('hb_subset_input_set_axis_range', input, face, tagOf('wght'), ...WEIGHTS, Number.NaN)
  call('hb_subset_input_set_axis_range', input, face, tagOf('wdth'), ...widths, Number.NaN)
  const cut = call('hb_subset_or_fail', face, input)
  if (cut === 0) throw new Error(`cannot cut ${from}`)
  const blob = call('hb_face_reference_blob', cut)
  const start = call('hb_blob_get_data', blob, 0)
  return compress(new Uint8Array(hb.memory.buffer).slice(start, start + call('hb_blob_get_length', blob)))
}

function call(name: string, ...values: number[]): number {
  const run = hb[name]
  if (!run) throw new Error(`harfbuzzjs has no ${name}`)
  return run(...values)
}
