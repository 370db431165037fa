import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Blocklists } from '../../../../src/domain/review/reviewers/blocklists.ts'
import { HostSet, HostSetBuilder } from '../../../../src/domain/review/reviewers/host-set.ts'
import { hostsInLine } from '../../../../src/ops/processes/read-blocklist.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'

describe('a line of a blocklist', () => {
  it.each([
    ['evil.com', ['evil.com']],
    ['  Evil.COM.  # bad', ['evil.com']],
    ['0.0.0.0 evil.com www.evil.com', ['evil.com', 'www.evil.com']],
    ['127.0.0.1\tevil.com\r', ['evil.com']],
    ['::1 localhost', []],
    ['0.0.0.0 0.0.0.0', []],
    ['*.evil.com', ['evil.com']],
    ['||evil.com^', ['evil.com']],
    ['||evil.com^$all', ['evil.com']],
    ['||evil.com^$third-party', undefined],
    ['||evil.com/path^', undefined],
    ['@@||good.com^', undefined],
    ['bücher.com', ['xn--bcher-kva.com']],
    ['# comment', []],
    ['! comment', []],
    ['[Adblock Plus 2.0]', []],
    ['', []],
    ['localhost', []],
    ['<html lang="en">', undefined],
    ['https://evil.com/x', undefined],
    ['two words', undefined],
  ])('%j', (line, hosts) => {
    expect(hostsInLine(line)).toEqual(hosts)
  })
})

it('a set of hosts finds a name or its nearest parent, and nothing else', () => {
  const builder = new HostSetBuilder()
  for (let at = 0; at < 5_000; at++) builder.add(`host-${at}.com`)
  for (const name of ['evil.com', 'sub.worse.co.uk', 'evil.com', 'com']) builder.add(name)
  const set = new HostSet(builder.build())
  expect(set.size).toBe(5_003)
  expect(set.find('evil.com')).toBe('evil.com')
  expect(set.find('a.b.evil.com')).toBe('evil.com')
  expect(set.find('x.host-77.com')).toBe('host-77.com')
  expect(set.find('sub.worse.co.uk')).toBe('sub.worse.co.uk')
  for (const name of ['worse.co.uk', 'notevil.com', 'vil.com', 'host-5000.com', 'other.com']) {
    expect(set.find(name)).toBeUndefined()
  }
})

describe('blocklists', () => {
  let folder: string
  let lists: Blocklists | undefined
  const warnings: string[] = []
  let told = 0
  const log = {
    warn: (facts: unknown, text?: string) => void warnings.push(text ?? String(facts)),
    info: () => {},
  }
  const file = (name: string) => join(folder, name)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'placard-lists-'))
    warnings.length = 0
    told = 0
  })
  afterEach(async () => {
    await lists?.close()
    lists = undefined
    rmSync(folder, { recursive: true })
  })
  async function opened(...paths: string[]): Promise<Blocklists> {
    lists = new Blocklists(paths, 20)
    await lists.open()
    lists.start(log as never, () => void told++)
    return lists
  }

  it('of a folder and a file are all read', async () => {
    mkdirSync(file('lists'))
    writeFileSync(file('lists/a.txt'), 'a.com\n')
    writeFileSync(file('lists/b.hosts'), '0.0.0.0 b.com\n')
    writeFileSync(file('lists/.hidden'), 'hidden.com\n')
    writeFileSync(file('lists/c.txt.part'), 'part.com\n')
    writeFileSync(file('own.txt'), 'own.com')
    const found = await opened(file('lists'), file('own.txt'))
    expect(found.find('www.a.com')).toEqual({ list: 'a.txt', listed: 'a.com' })
    expect(found.find('b.com')).toEqual({ list: 'b.hosts', listed: 'b.com' })
    expect(found.find('own.com')).toEqual({ list: 'own.txt', listed: 'own.com' })
    expect(found.find('hidden.com')).toBeUndefined()
    expect(found.find('part.com')).toBeUndefined()
  })

  it.each([
    ['is not there', undefined, /cannot be read/],
    ['is empty', '', /is empty/],
    ['is binary', Buffer.from([0, 1, 2, 0, 255]), /is not a text file/],
    ['is one endless line', 'x'.repeat(500_000), /is not a text file/],
    ['is an error page', '<html>\n<h1>502 Bad Gateway</h1>\n</html>\n', /is not a list of hosts/],
  ])(
    'let the service start if one %s, tell the operator, and read it once it is well',
    async (_what, content, problem) => {
      if (content !== undefined) writeFileSync(file('list.txt'), content)
      const found = await opened(file('list.txt'))
      expect(warnings).toEqual([expect.stringMatching(problem)])
      expect(warnings[0]).toMatch(/list\.txt .*; it blocks nothing\. Restore the file/)
      expect(found.lists(Date.now())).toEqual([expect.objectContaining({ isRead: false, names: 0 })])
      await expect.poll(() => told).toBe(1)
      writeFileSync(file('list.txt'), 'evil.com\n')
      await expect.poll(() => found.find('evil.com')).toBeDefined()
      expect(found.lists(Date.now())).toEqual([expect.objectContaining({ isRead: true, problem: undefined })])
    },
  )

  it('of a missing folder are read once it is there', async () => {
    const found = await opened(file('lists'))
    expect(found.lists(Date.now())[0]?.problem).toMatch(/lists cannot be read/)
    mkdirSync(file('lists'))
    writeFileSync(file('lists/a.txt'), 'evil.com\n')
    await expect.poll(() => found.find('evil.com')).toBeDefined()
    expect(found.lists(Date.now()).map(({ path, problem }) => [path, problem])).toEqual([
      [file('lists/a.txt'), undefined],
    ])
  })

  it('that are long and stop changing are told to the operator', async () => {
    const names = Array.from({ length: 1000 }, (_, nth) => `host-${nth}.com\n`)
    writeFileSync(file('list.txt'), names.join(''))
    writeFileSync(file('own.txt'), 'own.com\n')
    const long = (Date.now() - daysMs(15)) / 1000
    utimesSync(file('list.txt'), long, long)
    utimesSync(file('own.txt'), long, long)
    const found = await opened(folder)
    expect(warnings).toEqual([expect.stringMatching(/list\.txt has not changed for 15 days\. Check whether/)])
    await expect.poll(() => told).toBe(1)
    writeFileSync(file('list.txt'), [...names, 'new.com\n'].join(''))
    await expect.poll(() => found.find('new.com')).toBeDefined()
    expect(found.lists(Date.now()).flatMap(({ problem }) => problem ?? [])).toEqual([])
  })

  it('may be empty on purpose, with a comment', async () => {
    writeFileSync(file('list.txt'), '# nothing yet\n')
    expect((await opened(file('list.txt'))).find('evil.com')).toBeUndefined()
  })

  it('must not be pipes, which may never be written to', async () => {
    execFileSync('mkfifo', [file('list.txt')])
    await opened(folder)
    expect(warnings).toEqual([expect.stringContaining('list.txt is not a file')])
  })

  it('are read again after a change, and a new file of a folder is found', async () => {
    writeFileSync(file('list.txt'), 'old.com\n')
    const found = await opened(folder)
    writeFileSync(file('list.txt'), 'new.com\n')
    await expect.poll(() => found.find('new.com')).toBeDefined()
    expect(found.find('old.com')).toBeUndefined()
    writeFileSync(file('more.txt'), 'more.com\n')
    await expect.poll(() => found.find('more.com')).toBeDefined()
    expect(warnings).toEqual([])
  })

  it.each([
    ['vanishes', () => rmSync(file('list.txt')), /cannot be read/],
    ['is emptied', () => writeFileSync(file('list.txt'), ''), /is empty/],
    ['turns binary', () => writeFileSync(file('list.txt'), Buffer.alloc(64)), /is not a text file/],
    ['becomes an error page', () => writeFileSync(file('list.txt'), '<p>\n<p>\n'), /is not a list of hosts/],
    ['is incomplete', () => writeFileSync(file('list.txt'), 'evil.com\nworse.co'), /is incomplete/],
  ])('stay as they were when one %s, with one warning', async (_what, spoil, warning) => {
    writeFileSync(file('list.txt'), 'evil.com\nworse.com\nworst.com\n')
    const found = await opened(file('list.txt'))
    spoil()
    await expect.poll(() => warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(warning)
    expect(warnings[0]).toMatch(/the last valid version \(3 names\) stays/)
    writeFileSync(file('list.txt'), 'evil.com\nafter.com\n')
    await expect.poll(() => found.find('after.com')).toBeDefined()
    expect(found.find('evil.com')).toBeDefined()
    expect(found.find('worse.co')).toBeUndefined()
    expect(warnings).toHaveLength(1)
  })
})
