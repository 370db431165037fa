// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { stockOf } from '../../src/art/stock.ts'
import { drawSharePicture } from '../../src/pictures/draw.ts'
import { drawable, hostText, markupOf } from '../../src/pictures/drawable.ts'
import { FONTS_ENV, PictureMaker } from '../../src/pictures/maker.ts'
import { type Shared, sharePictureKey } from '../../src/pictures/shared.ts'
import { Sheet } from '../../src/pictures/sheet.ts'
import { HOSTILE, TITLES } from './titles.ts'

const LISTING: Shared = {
  title: 'Sunrise Bakery: bread and cake since 1987',
  hostname: 'www.sunrise-bakery.com',
  category: 'Food & Drink',
  language: 'en',
  isPaidPlace: false,
  version: null,
}
/** The areas of the name and of the sheet's foot. */
const NAME = { left: 40, top: 40, width: 1120, height: 476 }
const FOOT = { left: 40, top: 560, width: 1120, height: 50 }

const maker = new PictureMaker(0)
let picture: Buffer
beforeAll(async () => {
  Object.assign(process.env, FONTS_ENV)
  picture = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#c00' } })
    .webp()
    .toBuffer()
})

afterAll(() => maker.end())

/** The share of an area that is not paper-coloured. */
async function inkIn(png: Buffer, part: typeof NAME): Promise<number> {
  const raw = await sharp(png).extract(part).removeAlpha().raw().toBuffer()
  const paper = Buffer.from(stockOf(LISTING.category).paper.slice(1), 'hex')
  let inked = 0
  for (let at = 0; at < raw.length; at += 3) {
    if (paper.some((value, channel) => Math.abs(value - (raw[at + channel] ?? 0)) > 8)) inked++
  }
  return inked / (raw.length / 3)
}

/** Whether a character is drawn, and not as Pango's box for a missing one. */
async function isDrawn(sign: string): Promise<boolean> {
  const sheet = new Sheet({ paper: '#ffffff', ink: '#000000' })
  await sheet.set(sign, { left: 10, top: 10, width: 280, height: 180 }, { style: 'shout', size: 90 })
  const trimmed = sharp(await sheet.print(300, 200).png().toBuffer())
    .trim()
    .greyscale()
  const { data, info } = await trimmed.raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const isInked = (x: number, y: number) => (data[(y * width + x) * info.channels] ?? 255) < 200
  const row = (y: number) => Array.from({ length: width }, (_, x) => isInked(x, y))
  const column = (x: number) => Array.from({ length: height }, (_, y) => isInked(x, y))
  const share = (dots: boolean[]) => dots.filter(Boolean).length / dots.length
  const border = [...row(1), ...row(height - 2), ...column(1), ...column(width - 2)]
  const all = Array.from({ length: height }, (_, y) => row(y)).flat()
  const isBox = Math.min(width, height) > 30 && share(border) > 0.97 && share(all) < 0.9
  return width < 300 && !isBox
}

describe.each(Object.entries(TITLES))('a title in %s', (_script, [title, language]) => {
  it('appears whole on its share picture, in our fonts', async () => {
    expect(drawable(title)).toBe(title.normalize().replace(/[\ufe0f\u20e3]/g, ''))
    for (const sign of new Set(drawable(title).match(/[^\p{M}\p{Join_Control}\p{RI} ]/gu))) {
      expect(await isDrawn(sign), sign).toBe(true)
    }
    expect(await inkIn(await drawSharePicture({ ...LISTING, title, language }, null), NAME)).toBeGreaterThan(
      0.07,
    )
  })
})

test('what no font has is left out instead of drawn as a box', async () => {
  expect(await isDrawn('\u{e000}')).toBe(false)
  expect(drawable('\u{e000}\u0378\u{13000}\ud800')).toBe('')
  expect(drawable('a\u{13000}b 𝓕𝓪𝓷𝓬𝔂')).toBe('ab Fancy')
})

test.each(HOSTILE.map((title, place) => [place, title] as const))(
  'hostile title no. %s gives a harmless picture of bounded size',
  async (_place, title) => {
    expect(markupOf(title)).not.toMatch(/[<>]|&(?!#\d+;)|[\p{M}\p{Join_Control}]{7}|.{800}/u)
    const listing = {
      ...LISTING,
      title,
      hostname: `${'a'.repeat(240)}.com`,
      category: title,
      language: title,
    }
    const png = await maker.make({ kind: 'share', listing, picture: null })
    expect(await sharp(png).metadata()).toMatchObject({ width: 1200, height: 630 })
    expect(png.length).toBeLessThan(100_000)
  },
)

test('a drawing whose process is ended fails, and the next one has a new process', async () => {
  const ended = maker.make({ kind: 'share', listing: LISTING, picture: null })
  maker.end()
  await expect(ended).rejects.toThrow('the process of a picture ended with SIGKILL')
  const drawn = await maker.make({ kind: 'share', listing: LISTING, picture: null })
  expect(await sharp(drawn).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 })
})

test('a share picture shows host and board, and a label if the place is paid', async () => {
  const free = await drawSharePicture(LISTING, null)
  const paid = await drawSharePicture({ ...LISTING, isPaidPlace: true }, null)
  expect(await inkIn(free, FOOT)).toBeGreaterThan(0.03)
  expect(await inkIn(paid, FOOT)).toBeGreaterThan((await inkIn(free, FOOT)) + 0.005)
  expect(sharePictureKey({ ...LISTING, isPaidPlace: true })).not.toBe(sharePictureKey(LISTING))
})

test('a share picture shows the stored picture, whole, and the name beside it', async () => {
  const png = await drawSharePicture(LISTING, picture)
  expect(await sharp(png).metadata()).toMatchObject({ isPalette: false })
  const photo = await sharp(png).extract({ left: 0, top: 0, width: 760, height: 428 }).toBuffer()
  const { dominant, channels } = await sharp(photo).stats()
  expect(dominant.r).toBeGreaterThan(180)
  expect(channels[1]?.max).toBeLessThan(60)
  expect(await inkIn(png, { left: 796, top: 40, width: 364, height: 476 })).toBeGreaterThan(0.07)
})

test('a share picture is the same for the same listing, and another one for another', async () => {
  const others: Partial<Shared>[] = [
    { title: 'Sunrise Brewery' },
    { hostname: 'sunrise-bakery.net' },
    { category: 'Design' },
    { title: 'مكتبة النيل' },
    { title: '骨', language: 'ja' },
    { title: '骨', language: 'zh-TW' },
    { title: '' },
  ]
  const drawn = await Promise.all(
    [{}, {}, ...others].map(other => drawSharePicture({ ...LISTING, ...other }, null)),
  )
  expect(new Set(drawn.map(png => png.toString('base64'))).size).toBe(others.length + 1)
})

test('a long host loses its beginning: its end says whose it is', () => {
  expect(hostText(`paypal.com.${'a'.repeat(60)}.evil.org`)).toMatch(/^…a{50}\.evil\.org$/)
  expect(hostText('www.xn--bnk-rla.com')).toBe('xn--bnk-rla.com')
})

test('nothing in the process of the service draws or decodes', () => {
  const reached = new Set<string>()
  const visit = (path: string) => {
    if (reached.has(path)) return
    reached.add(path)
    if (!/\.tsx?$/.test(path)) return
    const code = readFileSync(path, 'utf8')
    for (const [, from = ''] of code.matchAll(/^(?:import|export|\}) (?!type )[^;\n]*?from '(.+)'$/gm)) {
      visit(from.startsWith('.') ? join(dirname(path), from) : from)
    }
  }
  visit(new URL('../../src/start.ts', import.meta.url).pathname)
  expect(reached).toContain('fastify')
  expect([...reached].filter(path => /pictures\/maker/.test(path))).toHaveLength(1)
  expect(
    [...reached].filter(path =>
      /^sharp$|pictures\/(draw|sheet|drawable|make-picture|process)\.ts$/.test(path),
    ),
  ).toEqual([])
})

test('every font comes from a package that is free', () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const fonts = readdirSync(new URL('../../fonts/built/ttf/', import.meta.url))
  const packages = Object.keys({ ...dependencies, ...devDependencies }).filter(name =>
    name.startsWith('@fontsource'),
  )
  for (const name of packages) {
    const { license } = JSON.parse(
      readFileSync(`${import.meta.dirname}/../../../node_modules/${name}/package.json`, 'utf8'),
    )
    expect(license).toBe('OFL-1.1')
    expect(
      fonts.filter(font => font.startsWith(`${name.split('/')[1]}-`)),
      name,
    ).not.toEqual([])
  }
  expect(packages.length).toBeGreaterThan(20)
})
