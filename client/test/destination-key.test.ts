import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDestination } from '../../server/src/domain/destinations/destination.ts'
import { destinationKey } from '../src/submissions/destination-key.ts'

const some = (...texts: string[]) => fc.constantFrom(...texts)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map(all => all.join(''))

/** Spellings of few destinations, so that many pairs are the same. */
const spelling = joined(
  some('https://', 'HTTP://'),
  some('', 'www.', 'www.www.', 'WWW.'),
  some('shop.com', 'SHOP.com', 'shop.co.uk', 'a.shop.com', 'bücher.de', 'xn--bcher-kva.de'),
  some('', '.'),
  some(
    '',
    '/',
    '//',
    '/a',
    '/%61',
    '/A',
    '/a/',
    '/a/index.html',
    '/a;',
    '/a%20',
    '/./a',
    '/b/../a',
    '/ä',
    '/%C3%A4',
    '/%c3%a4',
  ),
  some('', '?q=1', '#top'),
)

test('two spellings have one key here where they have one at the service', () => {
  let same = 0
  fc.assert(
    fc.property(spelling, spelling, (one, other) => {
      const [first, second] = [one, other].map(each => parseDestination(each, 'placard.dev').key)
      const isSame = first === second
      if (isSame) same++
      expect([one, other, destinationKey(one) === destinationKey(other)]).toEqual([one, other, isSame])
    }),
    { numRuns: 5000 },
  )
  expect(same).toBeGreaterThan(100)
})
