import { entryText, type LogEntry, parseEntry, Replay } from '@placard/contract/log'
import { describe, expect, it } from 'vitest'

const HASH = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='
const time = (minute: number) => new Date(Date.UTC(2026, 10, 21, 16, minute)).toISOString()

const BEGAN = { kind: 'began', origin: 'example.com/log', replayed: false, vkey: 'example.com/log+00000000+AAAA' }
const counted = (
  listing: number,
  changeCents: number,
  totalCents: number,
  minute: number,
  more?: Partial<LogEntry>,
) => ({
  kind: changeCents < 0 ? 'refunded' : 'counted',
  board: 'all',
  listing,
  changeCents,
  totalCents,
  ...(totalCents > 0 && { reachedAt: time(minute) }),
  shown: true,
  ...more,
})

/** Adds entries with their index and time, after the first. */
function replayOf(...entries: Partial<LogEntry>[]): Replay {
  const replay = new Replay()
  for (const [index, entry] of [BEGAN, ...entries].entries()) {
    replay.add({ index, time: time(index), ...entry } as LogEntry)
  }
  return replay
}

describe('a replay', () => {
  it('ranks by total, then by when it was reached, and knows what is shown', () => {
    const replay = replayOf(
      counted(1, 500, 500, 1),
      counted(2, 700, 700, 2),
      counted(3, 500, 500, 3, { board: '2026-11-21' }),
      counted(4, 500, 500, 0),
      counted(1, 200, 700, 5),
      { ...counted(2, 0, 700, 2), kind: 'left', shown: false },
      counted(4, -500, 0, 0, { shown: false }),
    )
    expect(replay.board('all')).toEqual([
      { listing: 2, totalCents: 700, reachedAt: Date.parse(time(2)), shown: false },
      { listing: 1, totalCents: 700, reachedAt: Date.parse(time(5)), shown: true },
    ])
    expect(replay.board('2026-11-21').map(({ listing }) => listing)).toEqual([3])
    expect(replay.board('2026-11-22')).toEqual([])
    expect(replay.days()).toEqual(['2026-11-21'])
    expect(replay.size).toBe(8)
  })

  it('continues from what it saved', () => {
    const entries = [
      counted(1, 500, 500, 1),
      { ...counted(1, 0, 500, 1), kind: 'left', shown: false },
      { kind: 'drawn', board: '2026-11-21', listing: 7, place: 1 },
      { kind: 'key', vkey: 'example.com/log+11111111+AAAA' },
      {
        kind: 'recovered',
        lostSize: 9,
        lostRoot: HASH,
        origin: 'example.com/log/2',
        replayed: true,
        notBefore: time(5),
      },
    ]
    const replay = Replay.load(JSON.parse(JSON.stringify(replayOf(...entries).save())))
    const next = { index: 6, time: time(6), ...counted(1, 100, 600, 6) }
    expect(() => replay.add(next)).toThrow('Entry 6 of the log has no notBefore')
    replay.add({ ...next, notBefore: time(6) })
    expect(replay.board('all')).toEqual([{ listing: 1, totalCents: 600, reachedAt: Date.parse(time(6)), shown: true }])
    expect([...replay.draws()]).toEqual([['2026-11-21', [7]]])
    expect(replay.keys).toEqual([BEGAN.vkey, 'example.com/log+11111111+AAAA'])
    expect([replay.origin, replay.replayed, replay.size]).toEqual(['example.com/log/2', true, 7])
    expect(replay.lostSize).toBe(9)
    expect(replay.seedFault('2026-11-21', 1)).toContain('the first 1 entries of the log, which had 0 at midnight.')
    expect(replay.beganAt).toBe(time(0))
    expect(replay.standing('all', 1)).toEqual(replay.board('all')[0])
    expect(replay.standing('all', 2)).toBeUndefined()
  })

  it.each<[string, Partial<LogEntry>[]]>([
    ['Entry 1 of the log says that it is entry 5.', [{ ...counted(1, 5, 5, 1), index: 5 }]],
    ['Entry 1 of the log begins a log within a log.', [BEGAN]],
    [
      'Entry 2 of the log says that listing 1 has 900 cents on the board all, but it had 500, and the change is 300.',
      [counted(1, 500, 500, 1), counted(1, 300, 900, 2)],
    ],
    [
      'Entry 1 of the log is of the kind counted, but changes a total by -5 cents.',
      [counted(1, -5, 0, 1, { kind: 'counted' })],
    ],
    ['Entry 1 of the log has a total of 0 cents that was reached.', [counted(1, 0, 0, 1, { reachedAt: time(0) })]],
    [
      'Entry 1 of the log says place 2 in the draw of 2026-11-21, after 0 others.',
      [{ kind: 'drawn', board: '2026-11-21', listing: 7, place: 2 }],
    ],
    [
      'Entry 2 of the log draws listing 7 a second time on 2026-11-21.',
      [
        { kind: 'drawn', board: '2026-11-21', listing: 7, place: 1 },
        { kind: 'drawn', board: '2026-11-21', listing: 7, place: 2 },
      ],
    ],
    [
      'Entry 1 of the log was inserted later: it is dated 2026-11-21T16:01:00.000Z, but did not exist yet at 2026-11-21T16:07:00.000Z.',
      [{ ...counted(1, 5, 5, 1), notBefore: time(7) }],
    ],
  ])('says: %s', (sentence, entries) => {
    expect(() => replayOf(...entries)).toThrow(new Error(sentence))
  })

  it('allows for clocks that differ, and notes one that was set back', () => {
    const late = replayOf({ ...counted(1, 5, 5, 1), notBefore: time(6) })
    expect(late.clockSetBack).toBeUndefined()
    const setBack = replayOf(
      { ...counted(1, 5, 5, 1), notBefore: time(6) },
      { ...counted(1, 5, 10, 2), notBefore: time(0) },
    )
    expect(setBack.clockSetBack).toBe(2)
  })

  it('takes the seed of a draw only from the log as it was around midnight, or before the log began', () => {
    const at = (hours: number, minutes: number) => ({ time: time((hours - 16) * 60 + minutes) })
    const entries = [
      counted(1, 5, 5, 1, at(23, 54)),
      counted(1, 5, 10, 1, at(23, 55)),
      counted(1, 5, 15, 1, at(24, 1)),
      { kind: 'drawn', board: '2026-11-22', listing: 1, place: 1, ...at(24, 2) },
    ]
    const replay = replayOf(...entries)
    const isAllowed = (size: number) => replay.seedFault('2026-11-22', size) === undefined
    expect([1, 2, 3, 4].map(isAllowed)).toEqual([false, true, true, false])
    expect(replay.seedFault('2026-11-21', null)).toContain('names no size of the log')
    const older = replayOf({ kind: 'recovered', lostSize: 0, replayed: true })
    expect(older.seedFault('2026-11-21', null)).toBeUndefined()
    expect(older.seedFault('2026-11-22', null)).toContain('names no size of the log')
  })

  it('begins with the beginning', () => {
    expect(() => new Replay().add({ index: 0, time: time(0), ...counted(1, 5, 5, 1) })).toThrow(
      'Entry 0 of the log is not the beginning of a log.',
    )
  })
})

describe('the text of an entry', () => {
  const text =
    '{"index":48190,"time":"2026-11-21T16:02:41.123Z","kind":"counted","board":"all","listing":42,"changeCents":18100,"totalCents":20000,"reachedAt":"2026-11-21T16:02:40.000Z","shown":true,"notBefore":"2026-11-21T16:02:39.000Z"}'

  it('has its names in one order', () => {
    const { index, kind, ...rest } = parseEntry(text)
    expect(entryText({ ...rest, kind, index } as LogEntry)).toBe(text)
  })

  it.each([
    ['it is not a JSON object', '[]'],
    ['it is not a JSON object', text.slice(1)],
    ['this version does not know its kind, "paid"', text.replace('counted', 'paid')],
    ['this version does not know its kind, "toString"', text.replace('counted', 'toString')],
    ['its listing is missing', text.replace('"listing":42,', '')],
    ['its index is -1', text.replace('48190', '-1')],
    ['its time is "2026-11-21T16:02:41Z"', text.replace('41.123Z', '41Z')],
    ['its board is "2026-02-30"', text.replace('"all"', '"2026-02-30"')],
    ['its shown is 1', text.replace('true', '1')],
    ['the kind counted has no place', text.replace('}', ',"place":1}')],
    ['the kind counted has no paid', text.replace('}', ',"paid":1}')],
    ['its text is not in the order or spelling of the format', text.replace('"all"', '"\\u0061ll"')],
    ['its text is not in the order or spelling of the format', text.replace('42', '42.0')],
    ['its text is not in the order or spelling of the format', text.replace('"kind"', '"index":48190,"kind"')],
    ['its text is not in the order or spelling of the format', `${text}\n`],
  ])('is rejected: %s', (why, changed) => {
    expect(() => parseEntry(changed, 'Entry 7 of the log')).toThrow(
      new Error(`Entry 7 of the log is malformed: ${why}.`),
    )
  })
})
