// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { PageReaders, type ReaderLimits } from '../../../../src/domain/review/page-parser/page-readers.ts'

const MISBEHAVING = fileURLToPath(new URL('../reviewers/misbehaving-process.ts', import.meta.url))
const HTML = { 'content-type': 'text/html; charset=utf-8' }

let readers: PageReaders
afterEach(() => readers.close())

/** Times that no machine needs, however busy it is. */
const PATIENT: Partial<ReaderLimits> = { waitMs: 200_000, readMs: 200_000, startMs: 200_000 }

const start = (limits: Partial<ReaderLimits> = {}, script?: string) => {
  readers = new PageReaders({ limits: { ...PATIENT, ...limits }, ...(script && { script }) })
}
const read = (body: string, url = 'http://acme.com/') => readers.read({ body: Buffer.from(body), url, headers: HTML })

describe('readers of pages', () => {
  it('read and judge a page', async () => {
    start()
    expect(await read('<title>Acme</title>')).toMatchObject({
      verdict: 'pass',
      page: {
        url: 'http://acme.com/',
        headers: HTML,
        metadata: { title: 'Acme' },
        judged: { pageRules: { verdict: 'pass' }, phrases: { verdict: 'pass' }, parking: [] },
      },
    })
    expect(await read('')).toMatchObject({
      page: { judged: { pageRules: { verdict: 'reject', reason: 'empty_page' } } },
    })
    expect(await read('<b>'.repeat(300))).toEqual({ verdict: 'reject', reason: 'too_large' })
  })

  it('say where reading failed, but nothing of the page', async () => {
    start()
    const failed = await read('<title>secret</title>', 'no address')
    expect(failed).toEqual({
      verdict: 'cannot_tell',
      why: expect.stringMatching(/^the page cannot be parsed: TypeError +at /),
    })
    expect(JSON.stringify(failed)).not.toContain('secret')
    expect(await read('<title>Acme</title>')).toMatchObject({ verdict: 'pass' })
  })

  it.each([
    ['backtracks without end', '/backtrack', /its reader did not answer within 500 ms$/],
    ['never returns', '/loop', /its reader did not answer within 500 ms$/],
    ['takes all memory', '/allocate', /its reader ended with SIGABRT$/],
    ['throws', '/throw', /its reader ended with exit code 1$/],
    ['exits', '/exit', /its reader ended with exit code 3$/],
  ])('that %s are killed and replaced', async (_what, misdeed, why) => {
    start(why.source.includes('did not answer') ? { readMs: 500 } : {}, MISBEHAVING)
    // On a busy machine, half a second may be too short for a reader that does what it should.
    const pid = () => read('', 'http://acme.com/pid')
    let before: unknown
    await expect.poll(async () => (before = await pid())).toBeTypeOf('number')
    expect(await read('', `http://acme.com${misdeed}`)).toEqual({
      verdict: 'cannot_tell',
      why: expect.stringMatching(why),
    })
    await expect.poll(() => isAlive(before as number)).toBe(false)
    await expect.poll(() => readers.use()).toEqual({ busy: 0, idle: 0, waiting: 0 })
    await expect.poll(pid).toBeTypeOf('number')
  })

  it('accept no more pages than they can read in time, and time each from its start', async () => {
    start({ atOnceMax: 1, waitersMax: 2, readMs: 3_000 }, MISBEHAVING)
    await read('', 'http://acme.com/pid')
    const first = read('', 'http://acme.com/silent')
    const second = read('', 'http://acme.com/silent')
    const third = read('', 'http://acme.com/pid')
    expect(await read('', 'http://acme.com/pid')).toEqual({
      verdict: 'cannot_tell',
      why: 'no reader was free',
      fault: 'busy',
    })
    const tooSlow = { verdict: 'cannot_tell', why: expect.stringContaining('did not answer within 3000 ms') }
    expect([await first, await second]).toEqual([tooSlow, tooSlow])
    expect(await third).toBeTypeOf('number')
  })

  it('that end while they are idle are replaced', async () => {
    start({ atOnceMax: 1 }, MISBEHAVING)
    const before = (await read('', 'http://acme.com/pid')) as unknown as number
    process.kill(before, 'SIGKILL')
    await expect.poll(() => readers.use().idle).toBe(0)
    expect(await read('', 'http://acme.com/pid')).toBeTypeOf('number')
  })

  it('that start too late for one page read a later one', async () => {
    start({ atOnceMax: 1, waitMs: 1 }, MISBEHAVING)
    expect(await read('', 'http://acme.com/pid')).toMatchObject({ why: 'no reader was free' })
    await expect.poll(() => read('', 'http://acme.com/pid')).toBeTypeOf('number')
    expect(readers.use()).toEqual({ busy: 0, idle: 1, waiting: 0 })
  })

  it('that cannot start leave a page unread', async () => {
    start({}, fileURLToPath(new URL('./nothing.ts', import.meta.url)))
    expect(await Promise.all([read('a'), read('b')])).toMatchObject([
      { verdict: 'cannot_tell' },
      { verdict: 'cannot_tell' },
    ])
    await readers.close()
    start({ startMs: 1 })
    expect(await read('a')).toMatchObject({ verdict: 'cannot_tell' })
    await readers.close()
    // With such a name, not even an attempt is made.
    start({ atOnceMax: 1 }, 'nothing\0')
    expect([await read('a'), await read('b')]).toMatchObject([{ verdict: 'cannot_tell' }, { verdict: 'cannot_tell' }])
  })

  it('end, and the pages they are reading get "cannot tell", when they are closed', async () => {
    start({}, MISBEHAVING)
    const pid = (await read('', 'http://acme.com/pid')) as unknown as number
    const reading = read('', 'http://acme.com/backtrack')
    await sleep(100)
    await readers.close()
    expect(await reading).toMatchObject({ verdict: 'cannot_tell' })
    expect(isAlive(pid)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
