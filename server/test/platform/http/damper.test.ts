import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DatabaseDamaged } from '../../../src/platform/db/failures.ts'
import { Damper } from '../../../src/platform/http/damper.ts'
import { Problem } from '../../../src/platform/http/problem.ts'

let lines: { level: number; msg: string; cause?: string; repeated?: number; failures?: number }[]
let damaged: number
let damper: Damper
let log: pino.Logger
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  damaged = 0
  damper = new Damper(() => void damaged++)
  const write = (line: string) => void lines.push(JSON.parse(line))
  log = pino({ hooks: { logMethod: damper.logMethod } }, { write })
})
afterEach(() => void vi.useRealTimers())

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const brief = () => lines.map(({ level, msg }) => [level, msg])

it('an outage of the database is one warning for its cause and one at its end', () => {
  for (let nth = 0; nth < 1000; nth++) {
    log.warn({ err: refused() }, 'not_ready')
    log.info({ err: refused() }, 'could not look for background work; will retry')
    vi.advanceTimersByTime(1000)
  }
  expect(damper.isOutage).toBe(true)
  damper.end(log)
  expect(brief()).toEqual([
    [40, 'the database cannot be used; will retry'],
    [40, 'the database can be used again'],
  ])
  expect(lines[1]?.failures).toBe(2000)
  expect(damper.isOutage).toBe(false)
})

it('an outage names each cause once, and no more than ten', () => {
  const cut = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
  const readOnly = () => Object.assign(new Error('read-only transaction'), { code: '25006' })
  for (const err of [cut(), readOnly(), cut(), readOnly(), readOnly()]) log.warn({ err }, 'not_ready')
  expect(lines.map(({ cause }) => cause)).toEqual(['ECONNRESET', '25006'])
  for (let port = 1; port < 20; port++) {
    log.warn({ err: Object.assign(refused(), { code: `08${100 + port}` }) }, 'not_ready')
  }
  expect(lines).toHaveLength(10)
})

it('an error that repeats is logged once a minute, with a count', () => {
  for (let nth = 0; nth < 90; nth++) {
    log.error({ err: new TypeError('x is undefined') }, 'internal_error')
    vi.advanceTimersByTime(1000)
  }
  expect(brief()).toEqual([
    [50, 'internal_error'],
    [50, 'internal_error (59 more in a minute)'],
    [50, 'internal_error'],
  ])
  log.error({ err: new TypeError('y is undefined') }, 'internal_error')
  log.warn({ err: new Error('a slow website') }, 'publication_unconfirmed')
  log.warn({ err: new Error('a slow website') }, 'publication_unconfirmed')
  expect(brief().slice(3)).toEqual([
    [50, 'internal_error'],
    [40, 'publication_unconfirmed'],
    [40, 'publication_unconfirmed'],
  ])
  expect([damaged, damper.isDamaged]).toEqual([0, false])
  vi.advanceTimersByTime(60_000)
  log.error('nothing about an error')
  expect(brief().slice(6)).toEqual([
    [50, 'internal_error (29 more in a minute)'],
    [50, 'nothing about an error'],
  ])
})

it('a refusal that repeats, as any client can have it, is logged once a minute, with a count', () => {
  const busy = () => new Problem('not_ready', { reason: 'busy' })
  for (let nth = 0; nth < 3; nth++) log.warn({ err: busy() }, 'not_ready')
  log.warn({ err: busy() }, 'event refused: no signature')
  expect(brief()).toEqual([
    [40, 'not_ready'],
    [40, 'event refused: no signature'],
  ])
  vi.advanceTimersByTime(60_000)
  expect(brief().slice(2)).toEqual([[40, 'not_ready (2 more in a minute)']])
})

it('an error that does not fit among those that are counted is logged each time', () => {
  for (const _ of ['once', 'twice']) {
    for (let kind = 1; kind <= 101; kind++) log.error({ err: new Error(`kind ${kind}`) }, 'internal_error')
  }
  expect(lines).toHaveLength(102)
})

it('an outage that is back within a minute is an error that repeats, and later another outage', () => {
  log.warn({ err: refused() }, 'not_ready')
  damper.end(log)
  for (let nth = 0; nth < 3; nth++) log.warn({ err: refused() }, 'not_ready')
  expect(damper.isOutage).toBe(false)
  vi.advanceTimersByTime(60_000)
  expect(brief().slice(2)).toEqual([
    [40, 'not_ready'],
    [40, 'not_ready (2 more in a minute)'],
  ])
  log.warn({ err: refused() }, 'not_ready')
  expect(damper.isOutage).toBe(true)
})

it.each([
  ['a lock that is held too long', { name: 'SqliteError', code: 'SQLITE_BUSY' }],
  ['damage', { name: 'SqliteError', code: 'SQLITE_CORRUPT' }],
  ['a deadlock', { code: '40P01' }],
  ['a read that was ended', { name: 'ReaderFailed', code: 'ECONNRESET' }],
  ['Stripe that cannot be reached', { type: 'StripeConnectionError', code: 'ECONNREFUSED' }],
])('%s is no outage of the database', (_, facts) => {
  log.warn({ err: Object.assign(new Error('failed'), facts) }, 'not_ready')
  expect([damper.isOutage, brief()]).toEqual([false, [[40, 'not_ready']]])
})

it('damage is told once, and stays until the database is another', () => {
  for (let nth = 0; nth < 3; nth++) log.error({ err: new DatabaseDamaged('page 7') }, 'the database is damaged')
  damper.end(log)
  expect([damaged, damper.isDamaged, damper.isOutage]).toEqual([1, true, false])
  expect(lines).toHaveLength(1)
})
