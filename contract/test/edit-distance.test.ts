import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance } from '../src/edit-distance.ts'

it.each([
  ['lamp', 'lamp', 0],
  ['lamp', 'lmap', 1],
  ['lamp', 'lam', 1],
  ['lamp', 'lampe', 1],
  ['lamp', 'limp', 1],
  ['sourdoh', 'sourdough', 2],
  ['abcd', 'badc', 2],
  ['lamp', 'sofa', 3],
  ['', 'ab', 2],
])('between “%s” and “%s” are %i typos', (one, other, typos) => {
  expect([editDistance(one, other, 2), editDistance(other, one, 2)]).toEqual([typos, typos])
})

it('is counted to the end without a limit', () => {
  expect([editDistance('lamp', 'sofa'), editDistance('', 'sourdough')]).toEqual([4, 9])
})

it('is never more than the changes that were made', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 9 })
  const change = fc.tuple(fc.nat(8), fc.constantFrom('put', 'drop', 'swap'), fc.constantFrom(...'abc'))
  fc.assert(
    fc.property(word, change, (one, [at, kind, letter]) => {
      const [before, next = '', rest] = [one.slice(0, at), one[at], one.slice(at + 1)]
      const other = {
        put: before + letter + next + rest,
        drop: before + rest,
        swap: before + rest.slice(0, 1) + next + rest.slice(1),
      }[kind as 'put']
      expect(editDistance(one, other, 2)).toBeLessThanOrEqual(1)
    }),
  )
})
