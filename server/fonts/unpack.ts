/**
 * Unpacks the fonts for pictures: the packages bring WOFF2, which Pango cannot read. Lists all characters in them,
 * since Pango draws boxes for others. Does nothing if this is already done.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { Blob, Face } from 'harfbuzzjs'
import sharp from 'sharp'
import decompress from 'woff2-encoder/decompress'

const BUILT = `${import.meta.dirname}/built`
const PACKAGES = `${BUILT}/packages.json`
/** Slices of Latin and the like in families for other scripts, which we skip. */
const FOREIGN = /(?<!archivo|noto-sans)-(latin|vietnamese|cyrillic|greek)/

const require = createRequire(import.meta.url)
const { devDependencies } = require('../package.json')
const packages = JSON.stringify(devDependencies)
if (!existsSync(PACKAGES) || readFileSync(PACKAGES, 'utf8') !== packages) await unpack()

async function unpack(): Promise<void> {
  rmSync(BUILT, { recursive: true, force: true })
  mkdirSync(`${BUILT}/ttf`, { recursive: true })
  const signs = new Set<number>()
  for (const path of Object.keys(devDependencies).filter(isFont).flatMap(filesOf)) {
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
