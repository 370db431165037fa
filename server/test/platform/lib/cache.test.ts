import { expect, test } from 'vitest'
import { remembered } from '../../../src/platform/lib/cache.ts'

/** A cache of two answers, kept for ten milliseconds, and what was read for it. */
function cached() {
  const reads: string[] = []
  const read = async (key: string) => {
    reads.push(key)
    if (key === 'bad') throw new Error('unreadable')
    return key.toUpperCase()
  }
  return { reads, ask: remembered(read, { name: 'test', keyOf: key => key, max: 2, untilOf: (_, now) => now + 10 }) }
}

test('an answer is read once while it is young, and again after that or after the clock was set back', async () => {
  const { reads, ask } = cached()
  expect(await Promise.all([ask('a', 100), ask('a', 109)])).toEqual(['A', 'A'])
  expect(reads).toEqual(['a'])
  await ask('a', 110)
  expect(reads).toEqual(['a', 'a'])
  await ask('a', 50)
  expect(reads).toEqual(['a', 'a', 'a'])
})

test('no more answers are kept than may be, and the one used least recently is dropped', async () => {
  const { reads, ask } = cached()
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key, 100)
  expect(reads).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is given to those who wait for it, and not kept', async () => {
  const { reads, ask } = cached()
  const asked = [ask('bad', 100), ask('bad', 100)]
  for (const each of asked) await expect(each).rejects.toThrow('unreadable')
  await expect(ask('bad', 100)).rejects.toThrow('unreadable')
  expect(reads).toEqual(['bad', 'bad'])
})
