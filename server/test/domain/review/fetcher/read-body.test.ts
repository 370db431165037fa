import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { readBody } from '../../../../src/domain/review/fetcher/read-body.ts'

const MAX = 1024 * 1024
const WITHIN = { maxBytes: MAX, permit: { obtain: async () => {} } }

async function* inChunks(body: Buffer, bytes: number) {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes)
}

it('reads bodies of all sizes whole, however their bytes arrive', async () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 400_000, MAX]) {
    const body = randomBytes(size)
    for (const chunk of [1000, 65_536, MAX]) {
      expect(body.equals(await readBody(inChunks(body, chunk), WITHIN)), `${size} by ${chunk}`).toBe(true)
    }
  }
})

it('ends at the first byte too many', async () => {
  await expect(readBody(inChunks(randomBytes(MAX + 1), 1000), WITHIN)).rejects.toThrow()
})

it('takes no block of the largest size for a small body', async () => {
  const body = await readBody(inChunks(randomBytes(1000), 100), WITHIN)
  expect(body.buffer.byteLength).toBeLessThan(MAX / 8)
})
