import { parseDocument } from 'htmlparser2'
import { expect, it, test } from 'vitest'
import { initialsOf, shortName } from '../../../../src/domain/pictures/posters/name.ts'
import {
  drawArt,
  drawSign,
  drawTitle,
  KINDS,
  kindOf,
  settableName,
  settableTitle,
  spellsTitle,
} from '../../../../src/domain/pictures/posters/poster.ts'
import { HOSTILE, TITLES } from '../titles.ts'

const HOST = 'sunrise-bakery.com'
const NAMES = ['K', 'lena', 'Loopdesk', 'Marginalia Club', 'The Tomato Seed Company', 'Repair Café Leeds', 'MC&A']

/** All tags and attributes of a drawing, and its texts. */
function partsOf(svg: string) {
  const parts = { names: new Set<string>(), attributes: new Set<string>(), texts: [] as string[] }
  const visit = (nodes: ReturnType<typeof parseDocument>['children']) => {
    for (const node of nodes) {
      if (node.type === 'text') parts.texts.push(node.data)
      else if ('attribs' in node) {
        parts.names.add(node.name)
        for (const [name, value] of Object.entries(node.attribs)) parts.attributes.add(`${name}=${value}`)
      } else parts.names.add(node.type)
      if ('children' in node) visit(node.children)
    }
  }
  visit(parseDocument(svg, { xmlMode: true }).children)
  return parts
}

/** Where things stand, and how large they are. */
const numbersIn = (svg: string) =>
  [...svg.matchAll(/="([^"]*)"/g)].flatMap(([, value = '']) => (value.match(/-?\d+(\.\d+)?/g) ?? []).map(Number))

const ATTRIBUTE =
  /^(x|y|cx|cy|r|d|class|transform|font-size|font-weight|textLength|lengthAdjust|text-anchor)=[\w .()-]*$/

/** What is wrong with a drawing, whatever it was drawn from. */
function faultsOf(svg: string): string[] {
  const { names, attributes, texts } = partsOf(svg)
  return [
    ...[...names].filter(name => !['text', 'path', 'circle', 'g'].includes(name)),
    ...[...attributes].filter(attribute => !ATTRIBUTE.test(attribute)),
    ...(/\p{C}/u.test(texts.join('')) ? ['has what is not seen'] : []),
    ...(svg.length > 4000 ? [`is ${svg.length} long`] : []),
    ...numbersIn(svg)
      .filter(number => !(Math.abs(number) < 1000))
      .map(String),
  ]
}

const HOSTS = Array.from({ length: 30 }, (_, place) => `site-${place}.com`)

it.each([...NAMES, ...Object.values(TITLES).map(([title]) => title), ...HOSTILE])(
  'whatever is drawn of %j is harmless and bounded',
  title => {
    for (const hostname of HOSTS) expect(faultsOf(drawArt({ hostname, title }, 362))).toEqual([])
    expect(faultsOf(drawArt({ hostname: HOST, title }, 210, 'initials'))).toEqual([])
    const set = settableTitle(title)
    if (set !== undefined) expect(faultsOf(drawTitle(set, 238))).toEqual([])
  },
)

it.each(KINDS)('%s is drawn of any name, and the same each time', kind => {
  for (const title of NAMES) {
    const svg = drawArt({ hostname: HOST, title }, 362, kind)
    expect(svg).not.toBe('')
    expect(faultsOf(svg)).toEqual([])
    expect(drawArt({ hostname: HOST, title }, 362, kind)).toBe(svg)
  }
})

test('a listing keeps its kind, and hosts differ', () => {
  const kinds = Array.from({ length: 100 }, (_, place) => kindOf({ hostname: `site-${place}.com`, title: 'Night Owl' }))
  expect(new Set(kinds)).toEqual(new Set(['stack', 'repeat', 'vertical', 'initials', 'disc', 'bleed', 'corner']))
  expect(kindOf({ hostname: 'site-1.com', title: 'Night Owl' })).toBe(kinds[1])
})

test.each([
  ['서울 책방 골목', 'characters'],
  ['Московский театр', 'characters'],
  ['مكتبة القاهرة', 'shapes'],
  ['हिन्दी किताबें', 'shapes'],
  ['🚀🚀', 'shapes'],
  ['----', 'shapes'],
  ['', 'shapes'],
])('%j is drawn in %s', (title, kind) => {
  expect(kindOf({ hostname: HOST, title })).toBe(kind)
})

test('a drawing that spells the title has all of it', () => {
  for (const title of ['Night Owl', 'Loopdesk', 'Repair Café Leeds', 'lena']) {
    for (const kind of KINDS.filter(each => spellsTitle(each, title))) {
      const { texts } = partsOf(drawArt({ hostname: HOST, title }, 446, kind))
      for (const word of title.toUpperCase().split(' ')) expect(texts.join(' ')).toContain(word)
    }
  }
  expect(KINDS.filter(kind => spellsTitle(kind, 'Night Owl: a club'))).toEqual([])
  expect(KINDS.filter(kind => spellsTitle(kind, 'lena'))).toContain('initials')
  expect(HOSTS.map(hostname => kindOf({ hostname, title: 'lena' }))).not.toContain('corner')
})

test('a title is split after a name that can be set, and nothing of it is lost', () => {
  expect(settableName('Errandly: the agent')).toEqual({ name: 'Errandly', separator: ': ', rest: 'the agent' })
  expect(settableName('Meeting Tax — what did it cost?')?.rest).toBe('what did it cost?')
  for (const title of ['A name that is far too long: a club', '서울: 책방', '🚀 Rocket: go', '----']) {
    expect(settableName(title)).toBeUndefined()
  }
  for (const title of ['Night Owl: a club', ...HOSTILE]) {
    const { name, separator, rest } = settableName(title) ?? { name: title, separator: '', rest: '' }
    expect(name + separator + rest).toBe(title)
  }
})

test('the name is what stands before a dash, a colon or a bar', () => {
  expect(shortName('Crewbench — regression tests')).toBe('Crewbench')
  expect(shortName('Huddle-O: standups')).toBe('Huddle-O')
  expect(shortName('VolcanoCam Iceland 🌋')).toBe('VolcanoCam Iceland')
  expect(shortName('山間茶屋｜台灣高山茶直送')).toBe('山間茶屋')
})

test.each([
  ['Home | Acme', 'Acme'],
  ['Startseite – Gärtnerei Müller – Rosen', 'Gärtnerei Müller'],
  ['Über uns - fairkom', 'fairkom'],
  ['Home', 'Home'],
  ['Home –', 'Home'],
  ['Home Depot | Tools', 'Home Depot'],
  ['Blogs – a list', 'Blogs'],
])('the name is not that of the page: %s', (title, name) => {
  expect(shortName(title)).toBe(name)
})

test.each([
  ['Marginalia Club', 'MC'],
  ['The Tomato Seed Company', 'TS'],
  ['lena', 'LENA'],
  ['TinyCron', 'T'],
  ['Élan Vital', 'ÉV'],
  ['הארץ הקטנה', 'ה'],
  ['Ферма', 'Ф'],
  ['თბილისის კაფე', 'თ'],
  ['ᲗᲑᲘᲚᲘᲡᲘ', 'თ'],
  ['🚀', '•'],
])('%j is known by %j', (title, initials) => {
  expect(initialsOf(title)).toBe(initials)
})

test('a Georgian name is drawn with a letter that every system has', () => {
  const drawn = { hostname: 'cafe.ge', title: 'თბილისის კაფე' }
  expect(kindOf(drawn)).toBe('characters')
  expect(drawArt(drawn, 300)).toContain('>თ</text>')
})

test('of many marks on a letter, two are drawn', () => {
  expect(initialsOf(`Z${'\u0316\u0335\u0308'.repeat(400)}algo`)).toMatch(/^Z\p{M}{2}$/u)
})

test('a short Latin title is set whole, in lines within the sheet', () => {
  for (const title of NAMES) {
    expect(settableTitle(title)).toBe(title)
    const { texts } = partsOf(drawTitle(title, 238))
    for (const word of title.toUpperCase().split(' ')) expect(texts.join(' ')).toContain(word)
  }
  for (const title of ['Crewbench — tests', 'A title that is far too long to be set', '서울', 'Rocket 🚀: go']) {
    expect(settableTitle(title)).toBeUndefined()
  }
})

test('flags, skin tones and key caps leave the name beside them as it would be alone', () => {
  for (const [title, name] of [
    ['🇩🇪 Berlin Guide', 'Berlin Guide'],
    ['👋🏽 Hello World', 'Hello World'],
    ['1️⃣ First Place', '1 First Place'],
  ] as const) {
    expect(shortName(title)).toBe(name)
    for (const hostname of HOSTS) {
      expect(drawArt({ hostname, title }, 362)).toBe(drawArt({ hostname, title: name }, 362))
    }
  }
})

test('letters of Azerbaijani, Maltese and Sámi and signs of Spanish and German are set in type, too', () => {
  for (const title of ['Gözəl Şəhər', 'Ħal Qormi', 'Ruoŧŧa', '¿Qué hacemos?', '¡Hola!', '„Zum Löwen“', 'Soon…']) {
    expect(settableTitle(title)).toBe(title)
    for (const hostname of HOSTS) expect(['shapes', 'characters']).not.toContain(kindOf({ hostname, title }))
  }
})

test('accents stay on the sheet', () => {
  const [first = 0] = [...drawSign('ÉTÉ', 500).matchAll(/ y="([\d.]+)" class="x\d+" font-size="([\d.]+)"/g)].map(
    ([, y, size]) => Number(y) - Number(size) * 0.886,
  )
  expect(first).toBeGreaterThanOrEqual(20)
})
