import { Capabilities, Quote, Receipt } from '@placard/contract'
import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { ADDRESSES, misfit } from '../src/misfit.ts'
import { PRIVATE_LINK, RECEIPT } from './fixtures.ts'
import { CAPABILITIES, QUOTE } from './replies.ts'

/** The pointers of all that a schema calls a URI. */
function uris(schema: TSchema & { format?: string; properties?: object }, pointer = ''): string[] {
  if (schema.format === 'uri') return [pointer]
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => uris(field, `${pointer}/${name}`))
}

test('every address that the contract promises is checked', () => {
  expect([Receipt, Quote, Capabilities].flatMap(schema => uris(schema)).sort()).toEqual([...ADDRESSES].sort())
})

const ownership = { ...RECEIPT.ownership, supportUrl: 'mailto:help@placard.example.org' }
const placement = { quoteEndpoint: 'https://placard.example.org/q', minimumTargetUSD: 5 }
const FULL = {
  ...RECEIPT,
  ownership,
  optionalPaidPlacement: { ...placement, humanConfirmationRequired: true },
}

test('replies of the contract fit, with fields of a later version too', () => {
  expect(misfit(Receipt, FULL)).toBeUndefined()
  expect(misfit(Receipt, { ...FULL, expiresAt: null, more: { than: 'known' } })).toBeUndefined()
  expect(misfit(Quote, QUOTE)).toBeUndefined()
  expect(misfit(Capabilities, CAPABILITIES)).toBeUndefined()
})

const { notice: _, ...withoutNotice } = RECEIPT
test.each([
  ['the body', null],
  ['the body', [RECEIPT]],
  ['notice', withoutNotice],
  ['status', { ...FULL, status: 'new' }],
  ['expiresAt', { ...FULL, expiresAt: 0.5 }],
  ['chargeCreated', { ...FULL, chargeCreated: true }],
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
  expect(misfit(Receipt, receipt)).toBe(path)
})

test('the path of a fault repeats nothing of the value', () => {
  expect(misfit(Receipt, { ...RECEIPT, expiresAt: PRIVATE_LINK })).toBe('expiresAt')
})
