import {
  Approval as ApprovalSchema,
  Capabilities as CapabilitiesSchema,
  Check as CheckSchema,
  DecisionStatement as DecisionSchema,
  type Draw as DrawSchema,
  SubmissionEvents as EventsSchema,
  EXAMPLES,
  Listing as ListingSchema,
  Quote as QuoteSchema,
  Receipt as ReceiptSchema,
  SearchPage as SearchPageSchema,
} from '@placard/contract'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type Listing, listingShape, type SearchPage, searchPageShape } from '../src/service/listings.ts'
import {
  type Capabilities,
  capabilitiesShape,
  checkShape,
  type Decision,
  type Draw,
  decisionShape,
  type Quote,
  quoteShape,
  type Receipt,
  receiptShape,
} from '../src/service/replies.ts'
import { misfit, type Shape } from '../src/service/shape.ts'
import { approvalShape } from '../src/submissions/browser-approval.ts'
import { eventsShape } from '../src/submissions/events.ts'
import { PRIVATE_LINK, RECEIPT } from './fixtures.ts'
import { CAPABILITIES, CHECK, DECISION, QUOTE } from './replies.ts'

const ownership = {
  ...RECEIPT.ownership,
  recoveryUnavailable: false,
  supportUrl: 'mailto:help@placard.example.org',
}
const placement = { quoteEndpoint: 'https://placard.example.org/q', minimumTargetUSD: 5 }
const FULL = {
  ...RECEIPT,
  ownership,
  approval: 'browser',
  optionalPaidPlacement: { ...placement, humanConfirmationRequired: true },
}

const FULL_CHECK = {
  ...CHECK,
  publishReply: { status: 429, code: 'quota_ip', error: 'Wait.', reason: 'policy', retryAfterSeconds: 60 },
  alreadyListed: { status: 'published', productUrl: RECEIPT.productUrl },
}

const FULL_EVENTS = {
  ...EXAMPLES.submissionEvents,
  events: EXAMPLES.submissionEvents.events.map(each => ({ ...each, expiresAt: 1 })),
}

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

test('the types are the contract’s', () => {
  // The compiler judges, not this run.
  const same: [
    Same<Receipt, Static<typeof ReceiptSchema>>,
    Same<Quote, Static<typeof QuoteSchema>>,
    Same<Capabilities, Static<typeof CapabilitiesSchema>>,
    Same<Decision, Static<typeof DecisionSchema>>,
    Same<Draw, Static<typeof DrawSchema>>,
    Same<Listing, Static<typeof ListingSchema>>,
    Same<SearchPage, Static<typeof SearchPageSchema>>,
  ] = [true, true, true, true, true, true, true]
  expect(same).toHaveLength(7)
})

type Json = { [name: string]: Json } | unknown

/** The value with each of its fields in turn left out or replaced, and where. */
function* changed(value: Json, path = ''): Generator<{ path: string; other: unknown; value: unknown }> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    const at = `${path}/${name}`
    const put = (other: unknown) =>
      Array.isArray(value)
        ? value.map((each, index) => (String(index) === name ? other : each))
        : { ...value, [name]: other }
    for (const other of [undefined, null, 0, 1, -1, 0.5, 150, '', 'x', true, false, [], {}]) {
      yield { path: at, other, value: put(other) }
    }
    for (const deeper of changed(field, at)) yield { ...deeper, value: put(deeper.value) }
  }
}

/** Where the client asks less of a text than the schema, or more: any date-time will do, and addresses must be safe. */
const FORMATS = /Url|\burl$|Endpoint|agentGuide|submissionEndsAt|imageUrl|destination$|ground\/url/

const PAIRS: [string, Shape<unknown>, TSchema, object][] = [
  ['receipt', receiptShape, ReceiptSchema, FULL],
  ['quote', quoteShape, QuoteSchema, QUOTE],
  ['capabilities', capabilitiesShape, CapabilitiesSchema, CAPABILITIES],
  ['check', checkShape, CheckSchema, FULL_CHECK],
  ['request for approval', approvalShape, ApprovalSchema, EXAMPLES.approval.example],
  ['decision', decisionShape, DecisionSchema, DECISION],
  ['list of events', eventsShape, EventsSchema, FULL_EVENTS],
  ['listing', listingShape, ListingSchema, EXAMPLES.listing.example],
  ['page of search results', searchPageShape, SearchPageSchema, EXAMPLES.search.example],
]
describe.each(PAIRS)('a %s', (_name, shape, schema, whole) => {
  test('is judged as the contract judges it, whatever is changed in it', () => {
    expect([misfit(shape, whole), Value.Check(schema, whole)]).toEqual([undefined, true])
    let count = 0
    for (const { path, other, value } of changed(whole)) {
      if (FORMATS.test(path) && typeof other === 'string') continue
      const given = JSON.parse(JSON.stringify(value))
      expect([path, other, misfit(shape, given) === undefined]).toEqual([path, other, Value.Check(schema, given)])
      count++
    }
    expect(count).toBeGreaterThan(80)
  })

  test('may have fields of a later version', () => {
    expect(misfit(shape, { ...whole, more: { than: 'known' } })).toBeUndefined()
  })
})

const { notice: _, ...withoutNotice } = RECEIPT
test.each([
  ['the body', null],
  ['the body', [RECEIPT]],
  ['notice', withoutNotice],
  ['status', { ...FULL, status: 'new' }],
  ['ownership', { ...FULL, ownership: [] }],
  ['ownership.sensitive', { ...FULL, ownership: { ...ownership, sensitive: 'yes' } }],
  ['ownership.sensitive', { ...FULL, ownership: { domainOwnershipVerified: false } }],
  ['productUrl', { ...FULL, productUrl: '/product/shop' }],
  ['productUrl', { ...FULL, productUrl: 'data:text/html,hello' }],
  ['ownership.privateRecoveryUrl', { ...FULL, ownership: { ...ownership, privateRecoveryUrl: 'file:///x' } }],
  ['ownership.supportUrl', { ...FULL, ownership: { ...ownership, supportUrl: 'javascript:alert(1)' } }],
  [
    'optionalPaidPlacement.quoteEndpoint',
    { ...FULL, optionalPaidPlacement: { ...FULL.optionalPaidPlacement, quoteEndpoint: 'about:blank' } },
  ],
])('a receipt that breaks the contract says where: %s', (path, receipt) => {
  expect(misfit(receiptShape, receipt)).toBe(path)
})

test('the path of a fault repeats nothing of the value', () => {
  expect(misfit(receiptShape, { ...RECEIPT, expiresAt: PRIVATE_LINK })).toBe('expiresAt')
})
