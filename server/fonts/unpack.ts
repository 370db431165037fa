/**
 * Unpacks the fonts for pictures: the packages bring WOFF2, which Pango cannot read. Lists all characters in them,
 * since Pango draws boxes for others. Cuts letters as outlines, for badges, which can use no font, and the fonts of pages.
 * Does nothing if this is already done.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { Blob, Buffer, Face, Font, shape, Variation } from 'harfbuzzjs'
import sharp from 'sharp'
import decompress from 'woff2-encoder/decompress'
import { WEB_FONTS, webFont } from './subset.ts'

const BUILT = `${import.meta.dirname}/built`
const PACKAGES = `${BUILT}/packages.json`
/** Slices of Latin and the like in families for other scripts, which we skip. */
const FOREIGN = /(?<!archivo|noto-sans)-(latin|vietnamese|cyrillic|greek)/

const require = createRequire(import.meta.url)
const { dependencies, devDependencies } = require('../package.json')
const fonts = Object.keys({ ...dependencies, ...devDependencies }).filter(isFont)
const packages = JSON.stringify(fonts.map(name => [name, require(`${name}/package.json`).version]))
const LETTERS = `${BUILT}/letters.json`
const WEB = `${BUILT}/web`
/** Of Archivo: for a rank, and for words. */
const CUTS = { wood: { wght: 850, wdth: 62 }, text: { wght: 650, wdth: 88 } }

if (!existsSync(PACKAGES) || readFileSync(PACKAGES, 'utf8') !== packages) await unpack()
if (!existsSync(LETTERS)) cutLetters()
if (!existsSync(WEB)) await cutWebFonts()

async function unpack(): Promise<void> {
  rmSync(BUILT, { recursive: true, force: true })
  mkdirSync(`${BUILT}/ttf`, { recursive: true })
  const signs = new Set<number>()
  for (const path of fonts.flatMap(filesOf)) {
    const font = await decompress(readFileSync(path))
    for (const sign of new Face(new Blob(font)).collectUnicodes()) signs.add(sign)
    writeFileSync(`${BUILT}/ttf/${basename(path, '.woff2')}.ttf`, font)
  }
  writeFileSync(`${BUILT}/signs.txt`, String.fromCodePoint(...signs))
  // Setting a first text makes fontconfig list them all, so that no drawing has to wait for it.
  process.env.FONTCONFIG_FILE = `${import.meta.dirname}/fonts.conf`
  process.env.XDG_CACHE_HOME = BUILT
  await sharp({ text: { text: 'Placard' } }).toBuffer()
  writeFileSync(PACKAGES, packages)
}

/** Writes the width and the outline of each printable character of ASCII, in thousandths of the letter size. */
function cutLetters(): void {
  const face = new Face(new Blob(readFileSync(`${BUILT}/ttf/archivo-latin-standard-normal.ttf`)))
  const characters = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place))
  const letters = Object.entries(CUTS).map(([cut, axes]) => {
    const font = new Font(face)
    font.setScale(1000, 1000)
    font.setVariations(Object.entries(axes).map(([axis, value]) => new Variation(axis, value)))
    return [cut, Object.fromEntries(characters.map(character => [character, letterOf(character, font)]))]
  })
  writeFileSync(LETTERS, JSON.stringify(Object.fromEntries(letters)))
}

async function cutWebFonts(): Promise<void> {
  const fonts = await Promise.all(
    Object.entries(WEB_FONTS).map(async ([name, font]) => ({ name, cut: await webFont(font) })),
  )
  mkdirSync(WEB)
  for (const { name, cut } of fonts) writeFileSync(`${WEB}/${name}.woff2`, cut)
}

function letterOf(character: string, font: Font): [width: number, path: string] {
  const buffer = new Buffer()
  buffer.addText(character)
  buffer.guessSegmentProperties()
  shape(font, buffer)
  const path = buffer.getGlyphInfos().map(({ codepoint }) => font.glyphToPath(codepoint))
  const width = buffer.getGlyphPositions().reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return [width, path.join('').replace(/-?\d+\.\d+/g, number => String(Math.round(Number(number))))]
}

function isFont(name: string): boolean {
  return name.startsWith('@fontsource')
}

/** The slices of a family, with all widths if it has them. */
function filesOf(name: string): string[] {
  const folder = dirname(require.resolve(`${name}/package.json`))
  return globSync(`${folder}/files/*-wght-normal.woff2`)
    .filter(path => !FOREIGN.test(basename(path)))
    .map(path => [path.replace('-wght-', '-standard-'), path].find(existsSync) ?? path)
}
