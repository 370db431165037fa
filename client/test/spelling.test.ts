import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDestination } from '../../server/src/domain/destinations/destination.ts'
import { checkSpelling } from '../src/spelling.ts'
import { errorOf, newClient, newJournalPath, RECEIPT, REQUEST, runCli } from './fixtures.ts'
import { reply, startPeer } from './peer.ts'
import { QUOTE } from './replies.ts'

const SERVICE = 'https://www.placard.dev'

/** What is suggested for a destination, if anything. */
function suggestedFor(destination: string): string | undefined {
  try {
    checkSpelling({ service: SERVICE, destination, category: 'Games' })
  } catch (error) {
    return /Did you mean (.+)\?/.exec(String(error))?.[1]
  }
  return undefined
}

describe('a destination without https://', () => {
  test.each([
    ['knotwork-tools.dev', 'https://knotwork-tools.dev/'],
    ['www.shop.com/about?a=1', 'https://www.shop.com/about'],
    ['placard.dev', undefined],
    ['example.com', undefined],
    ['shop.notatld', undefined],
    ['com', undefined],
    ['localhost', undefined],
    ['127.0.0.1', undefined],
    ['co.uk', undefined],
    ['-shop-.com', undefined],
  ])('%j suggests %j', (destination, suggestion) => {
    expect(suggestedFor(destination)).toBe(suggestion)
  })

  test('never suggests what the service would refuse', () => {
    const label = fc.constantFrom(
      'www',
      'co',
      'com',
      'a',
      'shop',
      'x--y',
      'xn--p1ai',
      'test',
      'example',
      'placard',
      '1',
    )
    const suffix = fc.constantFrom(
      ...'com org net info biz dev app xyz shop store online site tech blog cloud page de nl eu ch be dk uk io'.split(
        ' ',
      ),
    )
    const host = fc
      .tuple(fc.array(label, { maxLength: 4 }), suffix)
      .map(([labels, last]) => [...labels, last].join('.'))
    const given = fc.tuple(host, fc.constantFrom('', '/', '/a/b', '?q', '.')).map(parts => parts.join(''))
    let suggested = 0
    fc.assert(
      fc.property(fc.oneof(given, fc.domain()), text => {
        const suggestion = suggestedFor(text)
        if (suggestion === undefined) return
        suggested++
        expect(parseDestination(suggestion, 'www.placard.dev').url).toBe(suggestion)
      }),
      { numRuns: 3000 },
    )
    expect(suggested).toBeGreaterThan(300)
  })
})

describe('what is nearly right', () => {
  const cases = [
    [{ destination: 'shop.com' }, 'invalid_destination', 'Did you mean https://shop.com/?'],
    [{ category: 'developer tool' }, 'unknown_category', 'Did you mean "Developer Tools"?'],
  ] as const

  test.each(cases)('is not sent, and nothing is written: %j', { tags: ['programs'] }, async (part, code, advice) => {
    const peer = await startPeer(reply(201, RECEIPT))
    const journalPath = newJournalPath()
    const client = newClient(peer.url, { journalPath })
    const quote = () => client.quote({ ...REQUEST, board: 'all', targetBid: 25, ...part })
    for (const call of [() => client.publish({ ...REQUEST, ...part }), quote]) {
      expect(await errorOf(call())).toMatchObject({
        kind: 'usage',
        code,
        whatNext: advice,
        keepCredentials: false,
      })
    }
    const { destination, category } = { ...REQUEST, ...part }
    const args = ['publish', destination, '--category', category, '--user-approved', '--journal', journalPath]
    const { code: exitCode, stderr } = await runCli([...args, '--service', peer.url])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`${advice}\n`) })
    expect(peer.arrivals).toEqual([])
    expect(() => process.getBuiltinModule('node:fs').statSync(journalPath)).toThrow('ENOENT')
  })

  test('a category unlike any is left to the service, which may have more', async () => {
    const peer = await startPeer(reply(200, QUOTE))
    await newClient(peer.url).quote({ ...REQUEST, category: 'Robots', board: 'all', targetBid: 25 })
    expect(JSON.parse(peer.arrivals[0]?.body ?? '')).toMatchObject({ category: 'Robots' })
  })
})
