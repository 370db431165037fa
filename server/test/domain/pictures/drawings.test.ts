// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { draw } from '../../../src/domain/pictures/draw.ts'
import { brandOf, drawingVersion, type ListingDrawing } from '../../../src/domain/pictures/drawing.ts'
import { drawable, hostText, markupOf } from '../../../src/domain/pictures/markup.ts'
import { FONTS_ENV, PictureMaker } from '../../../src/domain/pictures/picture-process.ts'
import { stockOf } from '../../../src/domain/pictures/posters/stock.ts'
import { Sheet } from '../../../src/domain/pictures/sheet.ts'
import { PLACARD } from '../../../src/platform/config/site.ts'
import { HOSTILE, TITLES } from './titles.ts'

const LISTING: ListingDrawing = {
  kind: 'listing',
  brand: brandOf(PLACARD),
  title: 'Sunrise Bakery: bread and cake since 1987',
  hostname: 'www.sunrise-bakery.com',
  category: 'Food & Drink',
  language: 'en',
  paid: null,
  place: null,
  version: null,
}
/** The areas of the name and of the sheet's foot. */
const NAME = { left: 40, top: 40, width: 1120, height: 476 }
const FOOT = { left: 40, top: 560, width: 1120, height: 50 }

const maker = new PictureMaker(0, 200_000)
let picture: Buffer
const environment = Object.keys(FONTS_ENV).map(name => [name, process.env[name]] as const)
beforeAll(async () => {
  Object.assign(process.env, FONTS_ENV)
  picture = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#c00' } })
    .webp()
    .toBuffer()
})

afterAll(() => {
  maker.end()
  // The programs that other files start must not get it from here.
  for (const [name, value] of environment) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

/** The share of an area that is not paper-coloured. */
async function inkIn(png: Buffer, part: typeof NAME): Promise<number> {
  const raw = await sharp(png).extract(part).removeAlpha().raw().toBuffer()
  const paper = Buffer.from(stockOf(LISTING.category).paper.slice(1), 'hex')
  let inked = 0
  const differs = (at: number, channel: number) => Math.abs((paper[channel] ?? 0) - (raw[at + channel] ?? 0)) > 8
  for (let at = 0; at < raw.length; at += 3) if (differs(at, 0) || differs(at, 1) || differs(at, 2)) inked++
  return inked / (raw.length / 3)
}

/** Whether a character is drawn, and not as Pango's box for a missing one. */
async function isDrawn(sign: string): Promise<boolean> {
  const sheet = new Sheet({ paper: '#ffffff', ink: '#000000' })
  await sheet.set(sign, { left: 10, top: 10, width: 280, height: 180 }, { style: 'shout', size: 90 })
  const { data, info } = await sheet.print(300, 200).greyscale().raw().toBuffer({ resolveWithObject: true })
  const isInked = (x: number, y: number) => (data[(y * info.width + x) * info.channels] ?? 255) < 200
  let [left, right, top, bottom] = [info.width, -1, info.height, -1]
  for (let y = 0; y < info.height; y++) {
    for (let x = 0; x < info.width; x++) {
      if (!isInked(x, y)) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth)
  const row = (y: number) => range(left, right).map(x => isInked(x, y))
  const column = (x: number) => range(top, bottom).map(y => isInked(x, y))
  const share = (dots: boolean[]) => dots.filter(Boolean).length / dots.length
  // Most letters are known by their size, or by their border.
  const isBox = () =>
    Math.min(right - left, bottom - top) > 29 &&
    share([...row(top + 1), ...row(bottom - 1), ...column(left + 1), ...column(right - 1)]) > 0.97 &&
    share(range(top, bottom).flatMap(row)) < 0.9
  return bottom >= 0 && !isBox()
}

describe.each(Object.entries(TITLES))('a title in %s', (_script, [title, language]) => {
  it('appears whole on its share picture, in our fonts', async () => {
    expect(drawable(title)).toBe(title.normalize().replace(/[\ufe0f\u20e3]/g, ''))
    for (const sign of new Set(drawable(title).match(/[^\p{M}\p{Join_Control}\p{RI} ]/gu))) {
      expect(await isDrawn(sign), sign).toBe(true)
    }
    expect(await inkIn(await draw({ ...LISTING, title, language }, null), NAME)).toBeGreaterThan(0.07)
  })
})

test('what no font has is left out instead of drawn as a box', async () => {
  expect(await isDrawn('\u{e000}')).toBe(false)
  expect(drawable('\u{e000}\u0378\u{13000}\ud800')).toBe('')
  expect(drawable('a\u{13000}b 𝓕𝓪𝓷𝓬𝔂')).toBe('ab Fancy')
  // Drawn alone, a skin tone is a hatched box.
  expect(drawable('👋🏽 Hello 👩🏿‍💻')).toBe('👋 Hello 👩‍💻')
})

test.each(HOSTILE.map((title, place) => [place, title] as const))(
  'hostile title no. %s gives a harmless picture of bounded size',
  async (_place, title) => {
    expect(markupOf(title)).not.toMatch(/[<>]|&(?!#\d+;)|[\p{M}\p{Join_Control}]{7}|.{800}/u)
    const drawing = {
      ...LISTING,
      title,
      hostname: `${'a'.repeat(240)}.com`,
      category: title,
      language: title,
    }
    const png = await maker.make({ kind: 'drawing', drawing, picture: null })
    expect(await sharp(png).metadata()).toMatchObject({ width: 1200, height: 630 })
    expect(png.length).toBeLessThan(100_000)
  },
)

test('a drawing whose process is ended fails, and the next one has a new process', async () => {
  const drawnOrEnded = async () => {
    const drawing = maker.make({ kind: 'drawing', drawing: LISTING, picture: null })
    maker.end()
    return drawing.then(() => 'drawn', String)
  }
  // On a busy machine, the process can be done before this one ends it.
  await expect.poll(drawnOrEnded).toBe('Error: the process of a picture ended with SIGKILL')
  const drawn = await maker.make({ kind: 'drawing', drawing: LISTING, picture: null })
  expect(await sharp(drawn).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 })
})

/** The widest gap between the letters of a line, in pixels. */
async function gapIn(words: string, style: 'shout' | 'speak'): Promise<number> {
  const sheet = new Sheet({ paper: '#ffffff', ink: '#000000' })
  const room = { left: 10, top: 10, width: 880, height: 180 }
  await sheet.set(markupOf(words), room, { style, size: 100, wrap: 'none' })
  const { data, info } = await sharp(await sheet.print(900, 200).png().toBuffer())
    .greyscale()
    .trim()
    .raw()
    .toBuffer({ resolveWithObject: true })
  let [widest, gap] = [0, 0]
  for (let x = 0; x < info.width; x++) {
    const isInked = Array.from({ length: info.height }, (_, y) => data[y * info.width + x] ?? 255)
    gap = isInked.some(value => value < 200) ? 0 : gap + 1
    widest = Math.max(widest, gap)
  }
  return widest
}

test.each(['for people', 'planner kit', 'Kiez für Ältere', 'TAX TOYS'])('two words stay two: %s', async words => {
  expect(await gapIn(words, 'shout')).toBeGreaterThanOrEqual(16)
  expect(await gapIn(words, 'speak')).toBeGreaterThanOrEqual(16)
})

test('a share picture shows host and board, and a label if the place is paid', async () => {
  const free = await draw(LISTING, null)
  const paid = await draw({ ...LISTING, paid: 'Paid place' }, null)
  expect(await inkIn(free, FOOT)).toBeGreaterThan(0.03)
  expect(await inkIn(paid, FOOT)).toBeGreaterThan((await inkIn(free, FOOT)) + 0.005)
  expect(drawingVersion({ ...LISTING, paid: 'Paid place' })).not.toBe(drawingVersion(LISTING))
})

test('a share picture shows the stored picture, whole, and the name beside it', async () => {
  const png = await draw(LISTING, picture)
  expect(await sharp(png).metadata()).toMatchObject({ isPalette: false })
  const photo = await sharp(png).extract({ left: 44, top: 44, width: 708, height: 398 }).toBuffer()
  const { dominant, channels } = await sharp(photo).stats()
  expect(dominant.r).toBeGreaterThan(180)
  expect(channels[1]?.max).toBeLessThan(60)
  expect(await inkIn(png, { left: 796, top: 40, width: 364, height: 476 })).toBeGreaterThan(0.07)
})

test('a rank is part of the picture, beside a stored one too, and of its version', async () => {
  const place = (rank: number, board: 'all' | 'today', day: string | null = null) => ({
    ...LISTING,
    paid: 'Paid place',
    place: { rank, board, day },
  })
  const ranked = [
    { ...LISTING, paid: 'Paid place' },
    place(1, 'all'),
    place(2, 'all'),
    place(1_234_567, 'all'),
    place(2, 'today', '2026-11-21'),
    place(2, 'today', '2026-11-22'),
  ]
  for (const stored of [null, picture]) {
    const drawn = await Promise.all(ranked.map(drawing => draw(drawing, stored)))
    expect(new Set(drawn.map(png => png.toString('base64'))).size).toBe(ranked.length)
    for (const png of drawn) expect(await sharp(png).metadata()).toMatchObject({ width: 1200, height: 630 })
  }
  expect(new Set(ranked.map(drawingVersion)).size).toBe(ranked.length)
})

test('words that do not fit in their size fill the width of their room', async () => {
  const room = { left: 0, top: 0, width: 716, height: 82 }
  const words = 'The workshop for people who repair bicycles, tents and radios. '.repeat(3)
  const { width, height } = await new Sheet(LISTING.brand).set(words, room, { style: 'speak', size: 34 })
  expect([width > 640, height > 60]).toEqual([true, true])
})

test('the length of a word is counted in characters, not in those of its markup', async () => {
  const room = { left: 0, top: 0, width: 368, height: 480 }
  const { height } = await new Sheet(LISTING.brand).set(markupOf('Rock&Roll&Jazz&Soul'), room, { style: 'shout' })
  expect(height).toBeLessThan(100)
})

test('a share picture names the website, and not its home page', async () => {
  const drawn = (title: string) => draw({ ...LISTING, title }, null)
  for (const title of ['Home | Acme: fine widgets', 'Startseite – Acme: fine widgets']) {
    expect((await drawn(title)).equals(await drawn('Acme: fine widgets'))).toBe(true)
  }
  expect((await drawn('Home')).equals(await drawn('Acme'))).toBe(false)
})

test('marigold is for No. 1 alone', async () => {
  const marigold = async (rank: number) => {
    const png = await draw({ ...LISTING, paid: 'Paid place', place: { rank, board: 'all', day: null } }, null)
    const [red = 0, green = 0, blue = 0] = await sharp(png)
      .removeAlpha()
      .extract({ left: 5, top: 5, width: 1, height: 1 })
      .raw()
      .toBuffer()
    return Math.abs(red - 0xf2) < 3 && Math.abs(green - 0xb7) < 3 && Math.abs(blue - 0x05) < 3
  }
  expect([await marigold(1), await marigold(2)]).toEqual([true, false])
})

test('a board shows names in any script, and another board another picture', async () => {
  const words = { heading: 'Most paid', note: 'Paid', offer: 'NO. 1' }
  const board = { kind: 'board' as const, brand: LISTING.brand, ...words }
  const titles = Object.values(TITLES)
  // Three scripts in each name: a board takes three times as long to draw as a listing.
  const names = titles.flatMap(([, language], nth) => {
    const title = titles.slice(nth, nth + 3).map(([words]) => words)
    return nth % 3 === 0 ? [{ title: title.join(' '), hostname: 'a.com', language }] : []
  })
  const drawn = new Set<string>()
  for (let start = 0; start < names.length; start += 3) {
    const png = await draw({ ...board, places: names.slice(start, start + 3) }, null)
    expect(await sharp(png).metadata()).toMatchObject({ width: 1200, height: 630 })
    drawn.add(png.toString('base64'))
  }
  drawn.add((await draw({ ...board, places: [] }, null)).toString('base64'))
  expect(drawn.size).toBe(Math.ceil(names.length / 3) + 1)
})

test('icons fill their square, and one that may be cut to a circle keeps its letter within', async () => {
  for (const name of ['Placard', 'Булавка', '公告板', '!', 'Émile']) {
    const brand = { ...LISTING.brand, name, paper: '#000000', ink: '#ffffff' }
    const png = await draw({ kind: 'icon', brand, size: 512, isMaskable: true }, null)
    const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([512, 512])
    let farthest = 0
    for (const [at, value] of data.entries()) {
      if (value < 128) continue
      farthest = Math.max(farthest, Math.hypot((at % 512) - 256, Math.floor(at / 512) - 256))
    }
    expect([name, farthest > 40, farthest <= 0.4 * 512]).toEqual([name, true, true])
  }
})

test('a share picture is the same for the same listing, and another one for another', async () => {
  const others: Partial<ListingDrawing>[] = [
    { title: 'Sunrise Brewery' },
    { hostname: 'sunrise-bakery.net' },
    { category: 'Design' },
    { title: 'مكتبة النيل' },
    { title: '骨', language: 'ja' },
    { title: '骨', language: 'zh-TW' },
    { title: '' },
  ]
  const drawn = await Promise.all([{}, {}, ...others].map(other => draw({ ...LISTING, ...other }, null)))
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
  visit(new URL('../../../src/start.ts', import.meta.url).pathname)
  expect(reached).toContain('fastify')
  expect([...reached].filter(path => /pictures\/picture-process/.test(path))).toHaveLength(1)
  expect(
    [...reached].filter(path =>
      /^sharp$|\/pictures\/(draw|draw-listing|sheet|markup|resize-image)\.ts$|\/make-pictures\.ts$/.test(path),
    ),
  ).toEqual([])
})

test('every font comes from a package that is free', () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  const fonts = readdirSync(new URL('../../../fonts/built/ttf/', import.meta.url))
  const packages = Object.keys({ ...dependencies, ...devDependencies }).filter(name => name.startsWith('@fontsource'))
  for (const name of packages) {
    const { license } = JSON.parse(
      readFileSync(`${import.meta.dirname}/../../../../node_modules/${name}/package.json`, 'utf8'),
    )
    expect(license).toBe('OFL-1.1')
    expect(
      fonts.filter(font => font.startsWith(`${name.split('/')[1]}-`)),
      name,
    ).not.toEqual([])
  }
  expect(packages.length).toBeGreaterThan(20)
})
