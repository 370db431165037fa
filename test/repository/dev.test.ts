// @module-tag programs
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../../server/test/support/process.ts'
import { newCredentials, publish, publishBody } from '../../server/test/support/service.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-dev-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const dev = (env: Record<string, string> = {}) =>
  run('examples/dev.ts', [], { DATA_DIR: folder, PORT: '0', NO_COLOR: '1', ...env })
const starts = (output: string) => output.match(/is ready at/g)?.length ?? 0

/** The ids of a process's living descendants. */
const descendants = (pid: number): string[] => {
  const all = execFileSync('ps', ['-eo', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n')
  const of = (parent: string): string[] =>
    all
      .map(line => line.trim().split(/\s+/))
      .filter(([ppid]) => ppid === parent)
      .flatMap(([, child = '']) => [child, ...of(child)])
  return of(String(pid))
}
const isAlive = (pid: string) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

describe('npm run dev', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'serves sample websites to publish, restarts on a change, and leaves no process behind at %s',
    async signal => {
      const { child, ended, output } = dev()
      let children: string[] = []
      try {
        await expect.poll(output).toContain('Ctrl-C ends it all')
        const url = /Open +(http:\S+)\/\n/.exec(output())?.[1] ?? ''
        expect(output()).toContain(`--user-approved --service ${url}\n`)
        const { status } = await publish({ url }, newCredentials(), publishBody('http://knotwork-tools.dev/'))
        expect(status).toBe(201)

        const before = starts(output())
        utimesSync(new URL('../../server/assets/board.js', import.meta.url), new Date(), new Date())
        await expect.poll(() => starts(output())).toBeGreaterThan(before)
        await expect
          .poll(async () => (await fetch(`${url}/product/knotwork-tools-dev`).catch(() => undefined))?.status)
          .toBe(200)
        children = descendants(child.pid ?? 0)
        expect(children.length).toBeGreaterThanOrEqual(3)
      } finally {
        child.kill(signal)
      }
      expect(await ended).toBe(0)
      // A helper process ends itself once it notices that its parent is gone.
      await expect.poll(() => children.filter(isAlive)).toEqual([])
    },
  )

  it('says in one line that its port is taken', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { ended, output } = dev({ PORT: String((taken.address() as AddressInfo).port) })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard cannot start: .*EADDRINUSE.*\n$/)
    taken.close()
  })
})
