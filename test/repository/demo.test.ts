// @module-tag programs
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../server/test/support/process.ts'

/** What an owner token looks like in a private link, and a submission secret anywhere. */
const PRIVATE_LINK = /http:\/\/\S+\/manage\/[0-9a-f-]{36}#owner=[\w-]{43}/
const SECRET = /[0-9a-f]{64}/i

/** The demo's own temporary folder, to see what it leaves behind. */
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-demo-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const demo = (...args: string[]) => run('examples/demo.ts', args, { TMPDIR: folder, NO_COLOR: '1' })
const lines = (output: string, start: string) => output.split('\n').filter(line => line.trim().startsWith(start))

describe('the demo', () => {
  it('told once shows the main job, keeps what is private, and leaves nothing behind', async () => {
    const { ended, output } = demo('--once')
    expect(await ended).toBe(0)
    const text = output()
    expect(lines(text, '201 published').map(line => line.trim().split(/\s+/).at(-1))).toEqual([
      'http://juniper-lane-bakery.com/',
      'http://knotwork-tools.dev/',
      'http://www.tidepool-journal.org/?utm_source=letter',
    ])
    for (const slug of ['juniper-lane-bakery-com', 'knotwork-tools-dev', 'tidepool-journal-org']) {
      expect(text).toMatch(new RegExp(`^ +http://127\\.0\\.0\\.1:\\d+/product/${slug}$`, 'm'))
    }
    expect(lines(text, '200 replayed')).toEqual([expect.stringMatching(/ [0-9a-f-]{36}, the same as before$/)])
    expect(lines(text, '422 review_rejected')).toEqual([expect.stringContaining(' parked_domain: ')])
    expect(lines(text, 'price')).toEqual([expect.stringContaining(' $25.00, for about rank 1 on the board')])
    expect(lines(text, 'charged')).toEqual([expect.stringContaining(' nothing')])
    expect(text).toMatch(/^ +http:\/\/127\.0\.0\.1:\d+\/promote\?destination=\S+&board=all&target=25$/m)
    expect(text).toContain('28, from AI Agents to Travel & Local')

    expect(text).not.toMatch(PRIVATE_LINK)
    expect(text).not.toContain('#owner=')
    expect(text).not.toMatch(SECRET)
    expect(text).not.toMatch(/undefined|NaN|\[object|Error|Warning/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says in one line that its port is taken, and leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { ended, output } = run('examples/demo.ts', [], { TMPDIR: folder, PORT: String(port) })
    expect(await ended).toBe(1)
    expect(output()).toMatch(
      new RegExp(`^The demo failed: HOST 127\\.0\\.0\\.1 PORT ${port} cannot be used: [^\n]+\n$`),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stays open for browsing until %s, then cleans up and exits 0',
    async signal => {
      const { child, ended, output } = demo()
      let over = false
      void ended.then(() => {
        over = true
      })
      try {
        await expect.poll(() => output()).toContain('Ctrl-C ends the demo')
        const text = output()
        const beside = (name: string) =>
          lines(text, name)[0]
            ?.trim()
            .split(/\s{2,}/)
            .at(-1) ?? ''
        expect(await pageAt(beside('the site'))).toContain('Juniper Lane Bakery')
        expect(await pageAt(beside('a listing'))).toContain('Sourdough, seeded rye and cardamom buns')
        expect(await pageAt(beside('for agents'))).toMatch(/^# Placard/)
        expect(await pageAt(/http:\S+\/promote\?\S+/.exec(text)?.[0] ?? '')).toContain('juniper-lane-bakery.com')
        // Only here, for a person, does it show a private link.
        expect(text.match(new RegExp(PRIVATE_LINK, 'g'))).toHaveLength(1)
        expect(beside('its private page')).toMatch(PRIVATE_LINK)
        expect(await pageAt(beside('its private page'))).not.toContain('Juniper')
        expect(text).not.toMatch(SECRET)
        expect(readdirSync(folder)).toHaveLength(1)
        expect(over).toBe(false)
      } finally {
        child.kill(signal)
      }
      expect(await ended).toBe(0)
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

async function pageAt(address: string): Promise<string> {
  const response = await fetch(address)
  expect([address, response.status]).toEqual([address, 200])
  return response.text()
}
