import { expect, test } from 'vitest'
import { cached } from '../../../src/platform/lib/cache.ts'

/** A cache of two answers that expire after ten milliseconds, and the keys that it read. */
function cacheOfTwo() {
  const reads: string[] = []
  const read = async (key: string) => {
    reads.push(key)
    if (key === 'bad') throw new Error('unreadable')
    return key.toUpperCase()
  }
  return { reads, ask: cached(read, { name: 'test', keyOf: key => key, max: 2, untilOf: (_, now) => now + 10 }) }
}

test('an answer is read once until it expires, and again after that or after the clock was set back', async () => {
  const { reads, ask } = cacheOfTwo()
  expect(await Promise.all([ask('a', 100), ask('a', 109)])).toEqual(['A', 'A'])
  expect(reads).toEqual(['a'])
  await ask('a', 110)
  expect(reads).toEqual(['a', 'a'])
  await ask('a', 50)
  expect(reads).toEqual(['a', 'a', 'a'])
})

test('the cache holds at most `max` answers, and drops the least recently used one', async () => {
  const { reads, ask } = cacheOfTwo()
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key, 100)
  expect(reads).toEqual(['a', 'b', 'c', 'b'])
})

test('concurrent callers get the same failure, and a failure is not cached', async () => {
  const { reads, ask } = cacheOfTwo()
  const asked = [ask('bad', 100), ask('bad', 100)]
  for (const each of asked) await expect(each).rejects.toThrow('unreadable')
  await expect(ask('bad', 100)).rejects.toThrow('unreadable')
  expect(reads).toEqual(['bad', 'bad'])
})
