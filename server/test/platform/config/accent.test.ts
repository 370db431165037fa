import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentOf, accentStyles, type Colour, contrast, GREEN } from '../../../src/platform/config/accent.ts'
import { runs } from '../../support/runs.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((number): Colour => `#${number.toString(16).padStart(6, '0')}`)

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#ff0000', '#0000ff')).toBeCloseTo(2.15, 2)
})

test('a colour is refused, or all that follows from it can be read in both themes', () => {
  let taken = 0
  fc.assert(
    fc.property(colour, text => {
      if (contrast(text, '#faf8f2') < 4.5) {
        expect(() => accentOf(text)).toThrow(/^needs a contrast of at least 4\.5:1 /)
        return
      }
      taken++
      const accent = accentOf(text)
      expect(accent.light.board).toBe(text)
      for (const { board, onBoard, softOnBoard, cashOnBoard } of [accent.light, accent.dark]) {
        for (const words of [onBoard, softOnBoard, cashOnBoard]) {
          expect(contrast(words, board)).toBeGreaterThanOrEqual(4.5)
        }
      }
      expect(contrast(accent.light.onPage, '#faf8f2')).toBeGreaterThanOrEqual(4.5)
      for (const page of ['#0f1211', '#181c1a'] as const) {
        expect(contrast(accent.dark.onPage, page)).toBeGreaterThanOrEqual(4.5)
      }
    }),
    { numRuns: runs(2000) },
  )
  expect(taken).toBeGreaterThan(100)
})

test('ours passes its own check', () => {
  expect(accentOf('#0f4a3a').light.board).toBe(GREEN.light.board)
  expect(accentStyles(GREEN)).toContain('--green: #0f4a3a;')
})

test.each([
  ['#fc0', /^needs a contrast of .* and #fc0 has 1\.42:1; choose a darker colour$/],
  ['red', /^must be a colour like #0f4a3a, not "red"$/],
  ['#12345', /^must be a colour/],
  ['#123456; } body { display: none', /^must be a colour/],
])('%s is refused, with what would do', (text, message) => {
  expect(() => accentOf(text)).toThrow(message)
})
