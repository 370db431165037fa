import { CATEGORIES, EXAMPLES } from '@placard/contract'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import type { Checkout } from '../../src/domain/checkout/order-state.ts'
import { parseDestination } from '../../src/domain/destinations/destination.ts'
import type { CategoryCounts } from '../../src/domain/listings/category-counts.ts'
import type { Listing } from '../../src/domain/listings/listing.ts'
import { Links } from '../../src/platform/http/links.ts'
import { renderBoard } from '../../src/web/boards/board.tsx'
import { renderCategoryBoard } from '../../src/web/boards/category-board.tsx'
import { renderPastDay } from '../../src/web/boards/past-day.tsx'
import { renderMonth } from '../../src/web/boards/winners.tsx'
import { renderCheckout } from '../../src/web/checkout/order.tsx'
import { renderHome } from '../../src/web/home/page.tsx'
import { renderList } from '../../src/web/list/page.tsx'
import { badgeWords, renderBadge } from '../../src/web/listing/badge.ts'
import { renderGone, renderProduct } from '../../src/web/listing/page.tsx'
import { badgeCode } from '../../src/web/listing/share.tsx'
import { renderPrivatePage } from '../../src/web/manage/page.tsx'
import { markdownOf } from '../../src/web/markdown.ts'
import { readChoice } from '../../src/web/promote/choice.ts'
import { renderBuying } from '../../src/web/promote/page.tsx'
import { renderErrorPage } from '../../src/web/ui/error.tsx'
import { anyCharacter } from '../support/characters.ts'
import { listingRow } from '../support/listing-row.ts'
import { runs } from '../support/runs.ts'
import { NOON } from '../support/service.ts'

const links = new Links({ baseUrl: 'https://placard.example', supportUrl: undefined })

const FIRST = { standing: { rank: 1, totalCents: 500 }, board: 'all', site: links.site } as const

const harmless: Listing = {
  id: 1,
  ...listingRow({ slug: 'harmless', description: 'Words', siteName: 'Harmless' }),
}

const placeOf = (listing: Listing) => ({
  ...listing,
  rank: 1,
  totalCents: 500,
  reachedAt: NOON,
  pictureVersion: null,
  provenAt: null,
})

/** With a place on the all-time board. */
const PLACED = { standings: { all: { rank: 1, totalCents: 500 } }, today: '2026-11-21', among: 1 }

const beside = (listing: Listing) => ({
  ...PLACED,
  standings: {},
  history: [],
  takes: {},
  related: [{ ...listing, id: 7, pictureVersion: null, provenAt: null }],
  neighbours: {
    newer: [{ ...listing, pictureVersion: null, provenAt: null }],
    older: [{ ...listing, pictureVersion: null, provenAt: null }],
  },
})

const winnersOf = (listing: Listing, month: string) => ({
  month,
  winners: [{ ...placeOf(listing), day: `${month}-20` }],
})

const PAGES: Record<string, (listing: Listing) => string> = {
  home: listing =>
    renderHome(
      {
        listings: [
          {
            ...listing,
            publishedAt: listing.publishedAt,
            expiresAt: listing.expiresAt,
            pictureVersion: null,
            provenAt: null,
          },
        ],
        tops: { all: [neighbour(listing), neighbour(listing)], today: [neighbour(listing)] },
        taken: [{ board: 'all', rank: 1, at: NOON, ...listing }],
        counts: Object.fromEntries(CATEGORIES.map(id => [id, 1])) as CategoryCounts,
        drawn: [{ ...listing, pictureVersion: null, provenAt: null, place: 1, isShown: 1 }],
        pick: {
          ...listing,
          pictureVersion: null,
          provenAt: null,
          id: 'p',
          note: listing.title,
          pickedBy: 'Ada',
          at: NOON,
        },
        submissions: '',
        now: NOON,
      },
      links,
    ),
  product: listing =>
    renderProduct({
      ...beside(listing),
      product: { ...listing, pictureVersion: null, listedBy: 'agent', provenAt: null, drawnOn: null },
      links,
    }),
  'paid product': listing =>
    renderProduct({
      ...beside(listing),
      ...PLACED,
      product: { ...listing, pictureVersion: 'a', listedBy: 'payment', provenAt: null, drawnOn: null },
      history: [{ day: '2026-11-21', paidCents: 500, totalCents: 500 }],
      links,
    }),
  'expired product': listing =>
    renderGone({ status: 'expired', links, related: { category: listing.category, ...beside(listing) } }),
  'badge code': listing => badgeCode(listing, links),
  'board of a category': listing =>
    renderCategoryBoard(
      { category: 'Design', places: [placeOf(listing)], cursor: undefined, nextCursor: undefined, now: NOON },
      links,
    ),
  'past day': listing =>
    renderPastDay(links)({
      day: '2026-11-20',
      places: [{ ...placeOf(listing), closing: { rank: 2, totalCents: 500, isByMoney: true, isByHiding: true } }],
      gone: 0,
      hidden: 1,
      isIncomplete: false,
      cursor: undefined,
      nextCursor: undefined,
      earlier: undefined,
      later: undefined,
      today: NOON,
      winners: winnersOf(listing, '2026-11'),
    }),
  month: listing =>
    renderMonth(links)({
      months: [winnersOf(listing, '2026-11'), winnersOf(listing, '2026-10')],
      earlier: undefined,
      later: undefined,
      today: NOON,
    }),
  board: listing =>
    renderBoard(
      {
        board: 'today',
        entries: [1, 2, 3, 4].map(rank => ({ ...neighbour(listing), rank })),
        moved: undefined,
        cursor: undefined,
        aboveCents: undefined,
        nextCursor: undefined,
        asOf: undefined,
        now: NOON,
        taken: [{ ...listing, board: 'all', rank: 1, at: NOON }],
      },
      links,
    ),
  'private page': listing =>
    renderPrivatePage({
      claim: { claimId: 'c', linkVersion: 1, ownerTokenHash: '', listing },
      traffic: [],
      form: { typed: listing.title, category: undefined },
      notifications: {
        feedToken: undefined,
        webhook: undefined,
        webhookAddress: undefined,
        webhookSecret: undefined,
        mail: undefined,
      },
      proving: { owner: undefined, waitsUntil: undefined, proof: undefined, whyNotReopened: 'not_down' },
      product: { ...listing, pictureVersion: null, listedBy: 'agent', provenAt: null, drawnOn: null },
      places: PLACED,
      reasons: {
        ...EXAMPLES.appeal.example,
        facts: { explanation: listing.title, found: listing.description },
        appeal: { id: 'a', receivedAt: NOON, statement: listing.title },
      },
      links,
      now: NOON,
    }),
  offer: listing =>
    renderBuying({
      links,
      read: readChoice({ destination: 'https://a.com/', category: 'Design', board: 'all', target: '5' }, links),
      listing,
      presets: { all: [], today: [] },
      toBuy: {
        choice: {
          destination: parseDestination('https://a.com/'),
          category: 'Design',
          board: 'all',
          targetBid: 5,
        },
        offer: {
          listing,
          price: { totalCents: 0, chargeAmountCents: 500, estimatedRank: 2 },
          isPayable: true,
          mayOutlastDay: false,
          leastTargetBid: 5,
          neighbours: { above: neighbour(listing), below: neighbour(listing) },
          pending: [],
          inTheWay: undefined,
        },
        ownership: {
          pass: { provedBy: 'dns_txt', until: NOON },
          proof: undefined,
          comesFromElsewhere: false,
        },
        isAgreed: false,
      },
    }),
  'listed already': listing =>
    renderList({
      links,
      asked: {
        address: listing.url,
        destination: parseDestination('https://a.com/'),
        category: 'Design',
        faults: {},
      },
      found: listing,
      closed: undefined,
    }),
  order: listing =>
    renderCheckout({
      order: { checkout: { ...order, url: listing.url, category: listing.category }, state: 'paid', payment },
      processorLabel: 'Stripe',
      closed: undefined,
      session: undefined,
      outcome: {
        ...PLACED,
        listing: { ...listing, linkVersion: 1, pictureVersion: null },
        rows: [],
        isDayOver: false,
      },
      links,
    }),
}

const neighbour = (listing: Listing) => ({
  ...listing,
  rank: 1,
  pictureVersion: null,
  provenAt: null,
  destinationKey: listing.destinationKey,
  totalCents: 500,
  reachedAt: NOON,
})

const order: Checkout = {
  id: 'o',
  processor: 'stripe',
  sessionId: 's',
  destinationKey: '2:a.com',
  url: 'https://a.com/',
  hostname: 'a.com',
  category: 'Design',
  board: 'all',
  targetBid: 5,
  amountCents: 500,
  page: null,
  provedBy: 'dns_txt',
  rulesVersion: '2026-09-06',
  createdAt: NOON,
  supersededAt: null,
  keptAt: null,
}
const payment = {
  paidCents: 500,
  refundedCents: 0,
  disputedCents: 0,
  netCents: 500,
  lostCents: 0,
  paidAt: NOON,
}

/** A page as a browser would parse it: its elements with attribute names, and its links' targets. */
function structureOf(html: string): { elements: string[]; targets: string[] } {
  const elements: string[] = []
  const targets: string[] = []
  let isInDrawing = false
  const parser = new Parser({
    // Skips both, which depend on whether the listing's values are known.
    onopentag(name, { lang: _, selected: __, ...attributes }) {
      if (isInDrawing) return DRAWN.includes(name) || elements.push(`${name} in a drawing`)
      isInDrawing = attributes.class === 'art'
      for (const key of ['href', 'src', 'action']) if (attributes[key]) targets.push(attributes[key])
      // A title that its drawing spells is there once more for those who hear the page.
      if (attributes.class === 'unseen') return
      if (['a', 'h2', 'h3'].includes(name)) delete attributes.class
      elements.push([name, ...Object.keys(attributes)].join(' '))
    },
    onclosetag(name) {
      if (name === 'svg') isInDrawing = false
    },
    oncomment: () => elements.push('comment'),
  })
  parser.end(html)
  return { elements, targets }
}

/** What a drawing is made of, which differs from title to title. */
const DRAWN = ['text', 'path', 'circle', 'g']

const NAUGHTY = [
  '</script><script>alert(1)</script>',
  '</title><img src=x onerror=alert(1)>',
  '" onmouseover="alert(1)',
  "' autofocus onfocus='alert(1)",
  '<!-- ',
  '--> ]]> <![CDATA[',
  '&lt;b&gt; &#60;b>',
  '\u202egnp.exe\u2066\u200f',
  '\u0000\uFFFE\ud800',
  '{{7*7}} <%= 1 %>',
  '</textarea></noscript></style></svg>',
]

const NAUGHTY_MARKDOWN = [
  '\n\n# ',
  '\n- ',
  '\n1. ',
  '\n> ',
  '\n===\n',
  '](https://evil.example) ',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '<https://evil.example>',
  ' www.evil.example https://evil.example a@evil.example ',
  '`',
  '\n```\n',
  '**',
  '_x_',
  '~~x~~',
  ' | x |\n| --- | --- |\n',
  '[^1]: x',
  '\\',
  '&lt;b&#62;',
  '“”',
]

/** A page's Markdown as a program would parse it: the kinds of its nodes, and how often somebody else is quoted. */
function markdownStructureOf(html: string): { kinds: string[]; quotes: number } {
  const markdown = markdownOf(html, links.base)
  const kinds: string[] = []
  const visit = (node: Nodes) => {
    // Neighbours become one text, or several, by what is in them.
    if (node.type !== 'text') kinds.push(node.type)
    if ('children' in node) for (const child of node.children) visit(child)
  }
  // Transforms turn escaped addresses into links, too. Such a link leads where it says.
  const mdastExtensions = gfmFromMarkdown().map(extension => ({ ...extension, transforms: [] }))
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions }))
  return { kinds, quotes: markdown.split(/[“”]/).length }
}

const text = fc
  .array(fc.oneof(fc.constantFrom(...NAUGHTY), fc.string({ unit: anyCharacter }), fc.string()), {
    minLength: 1,
    maxLength: 4,
  })
  .map(parts => `x${parts.join('')}`)

/** Only public pages are. */
const NEVER_MARKDOWN = ['private page', 'offer', 'listed already', 'order', 'badge code']

describe.each(Object.entries(PAGES))('whatever a listing says, the %s page', (name, render) => {
  const { elements } = structureOf(render(harmless))

  test.skipIf(NEVER_MARKDOWN.includes(name))('keeps its own structure as Markdown, and its quotes', () => {
    const naughty = fc
      .array(fc.oneof(fc.constantFrom(...NAUGHTY_MARKDOWN), fc.string()), { minLength: 1, maxLength: 4 })
      .map(parts => `x${parts.join('')}`)
    const expected = markdownStructureOf(render(harmless))
    fc.assert(
      fc.property(naughty, naughty, (title, description) => {
        expect(markdownStructureOf(render({ ...harmless, title, description }))).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  })

  test('keeps its own structure', () => {
    const fields = fc.record({
      title: text,
      description: text,
      hostname: text,
      category: text,
      language: text,
    })
    fc.assert(
      fc.property(fields, fields => {
        expect(structureOf(render({ ...harmless, ...fields })).elements).toEqual(elements)
      }),
      { numRuns: runs(100) },
    )
  })

  test('leads only to web addresses', () => {
    const schemes = fc.constantFrom(
      'javascript:',
      'data:text/html,',
      ' jAvAsCrIpT:',
      'vbscript:',
      '//',
      'https://a.com/',
    )
    fc.assert(
      fc.property(schemes, text, (scheme, rest) => {
        for (const target of structureOf(render({ ...harmless, url: scheme + rest })).targets) {
          expect(target).toMatch(/^(https?:\/\/|\/(?!\/)|#[a-z-]+$)/)
        }
      }),
      { numRuns: runs(100) },
    )
  })
})

test('whatever a listing is called, its badge keeps its own structure and says its name', () => {
  const badgeOf = (title: string) => {
    const elements: string[] = []
    let name = ''
    const parser = new Parser(
      {
        onopentag: (tag, attributes) => elements.push([tag, ...Object.keys(attributes)].join(' ')),
        oncomment: () => elements.push('comment'),
        onprocessinginstruction: () => elements.push('instruction'),
        ontext: data => {
          if (elements.at(-1) === 'title') name += data
        },
        onclosetag: tag => {
          if (tag === 'title') elements.push('/title')
        },
      },
      { xmlMode: true },
    )
    parser.end(renderBadge({ ...FIRST, title, style: 'light' }))
    return { elements, name }
  }
  const { elements } = badgeOf('Harmless')
  fc.assert(
    fc.property(text, title => {
      expect(badgeOf(title).elements).toEqual(elements)
    }),
  )
  for (const title of NAUGHTY.slice(0, 7)) {
    expect(badgeOf(title).name).toBe(badgeWords({ ...FIRST, title }))
  }
})

test('a naughty title is shown as it is', () => {
  for (const title of NAUGHTY.slice(0, 7)) {
    let heading = ''
    let inside = false
    const parser = new Parser({
      onopentagname: name => {
        if (name === 'h1') inside = true
      },
      ontext: data => {
        if (inside) heading += data
      },
      onclosetag: name => {
        if (name === 'h1') inside = false
      },
    })
    parser.end(
      renderProduct({
        ...beside(harmless),
        product: {
          ...harmless,
          title,
          pictureVersion: null,
          listedBy: 'agent',
          provenAt: null,
          drawnOn: null,
        },
        links,
      }),
    )
    expect(heading).toBe(title)
  }
})

test('whatever a hand-off link carries, the promote page keeps its own structure', () => {
  const choice = { destination: 'https://a.com/', category: 'Design', board: 'all', target: '5' }
  /** Without the error messages. */
  const tagsOf = (query: Record<string, unknown>) =>
    structureOf(
      renderBuying({ read: readChoice(query, links), listing: undefined, presets: undefined, toBuy: undefined, links }),
    )
      .elements.filter(element => !/^(span class( id)?|p class role( tabindex autofocus)?|strong)$/.test(element))
      .map(element => element.replace(/ (aria-invalid|aria-describedby|value|selected|checked)\b/g, ''))
  const harmlessTags = tagsOf(choice)
  const anything = fc.oneof(
    text,
    fc.array(text),
    fc.constant(undefined),
    text.map(rest => `https://a.com/${rest}`),
  )
  const query = fc.record({ destination: anything, category: anything, board: anything, target: anything })
  fc.assert(
    fc.property(query, query => {
      expect(tagsOf(query)).toEqual(harmlessTags)
    }),
  )
})

test('whatever an error says, its page keeps its own structure', () => {
  const render = (message: string) =>
    structureOf(renderErrorPage({ status: 400, code: 'invalid_body', message }, links))
  fc.assert(
    fc.property(text, message => {
      expect(render(message)).toEqual(render('Harmless'))
    }),
  )
})
