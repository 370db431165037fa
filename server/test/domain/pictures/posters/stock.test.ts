import { readFileSync } from 'node:fs'
import { CATEGORIES } from '@placard/contract'
import { expect, test } from 'vitest'
import { STOCKS, stockOf } from '../../../../src/domain/pictures/posters/stock.ts'

test('every category has a stock, and ink is read on its paper', () => {
  const luminance = (colour: string) =>
    [1, 3, 5]
      .map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, channel) => sum + value * ([0.2126, 0.7152, 0.0722][channel] ?? 0), 0)
  expect(STOCKS.flatMap(({ categories }) => categories).sort()).toEqual([...CATEGORIES].sort())
  for (const category of CATEGORIES) {
    const { paper, ink } = stockOf(category)
    expect((luminance(paper) + 0.05) / (luminance(ink) + 0.05), category).toBeGreaterThan(7)
  }
  expect(new Set(CATEGORIES.map(each => stockOf(each).paper)).size).toBe(8)
})

test('the style sheet has the colours of every stock', () => {
  const css = readFileSync(new URL('../../../../assets/styles/tokens.css', import.meta.url), 'utf8')
  for (const { id, paper, ink } of STOCKS) {
    expect(css).toMatch(new RegExp(`\\.s-${id} \\{\\n  --stock: ${paper};\\n  --press: ${ink};`))
  }
})
