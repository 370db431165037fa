import { hash } from 'node:crypto'
import { DRAW_SIZE } from '@placard/contract'
import { describe, expect, it } from 'vitest'
import { Lots, lotOf } from '../../../src/domain/featured/draw.ts'

const candidates = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1, slug: `site-${at}-com` }))

function draw(seed: string, from: readonly { id: number; slug: string }[]): number[] {
  const lots = new Lots(seed)
  for (const candidate of from) lots.add(candidate)
  return lots.drawn().map(({ id }) => id)
}

describe('drawing lots', () => {
  it('takes the lowest hashes, in their order, whatever the order of the candidates', () => {
    const all = candidates(200)
    const expected = all
      .map(({ id, slug }) => ({
        id,
        lot: hash('sha256', Buffer.concat([Buffer.from('ab'), Buffer.of(0), Buffer.from(slug)])),
      }))
      .sort((one, other) => one.lot.localeCompare(other.lot))
      .slice(0, DRAW_SIZE)
      .map(({ id }) => id)
    expect(draw('ab', all)).toEqual(expected)
    expect(draw('ab', all.toReversed())).toEqual(expected)
  })

  it('draws all of fewer than ten candidates, and none of none', () => {
    expect(draw('ab', candidates(3)).toSorted()).toEqual([1, 2, 3])
    expect(draw('ab', [])).toEqual([])
  })

  it('uses the lot that the docs describe', () => {
    expect(lotOf('00'.repeat(32), 'oak-com')).toBe(hash('sha256', `${'00'.repeat(32)}\x00oak-com`))
  })

  /** Fixed seeds, so the figure is the same on every run: no chance of a false alarm. */
  it('gives every listing the same chance, at every place', () => {
    const [listings, draws] = [50, 4_000]
    const drawn = new Array<number>(listings).fill(0)
    const first = new Array<number>(listings).fill(0)
    const all = candidates(listings)
    for (let number = 0; number < draws; number++) {
      const ids = draw(hash('sha256', `seed ${number}`), all)
      for (const id of ids) drawn[id - 1] = (drawn[id - 1] ?? 0) + 1
      first[(ids[0] ?? 0) - 1] = (first[(ids[0] ?? 0) - 1] ?? 0) + 1
    }
    // 49 degrees of freedom: a fair draw exceeds 85.35 once in a thousand times. Each listing is drawn at most once per
    // draw, which makes the first sum smaller by the share that is not drawn.
    const sumOf = (counts: number[], expected: number) =>
      counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    const share = DRAW_SIZE / listings
    expect(sumOf(drawn, draws * share) / (1 - share)).toBeLessThan(85.35)
    expect(sumOf(first, draws / listings)).toBeLessThan(85.35)
  })
})
