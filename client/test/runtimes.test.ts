// @module-tag programs
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ended, newJournalPath, PIPED, RECEIPT } from './fixtures.ts'
import { hangUp, hangUpHalfway, reply, type Step, startPeer, stayMute } from './peer.ts'

/** Bun and Deno are large, so they are not installed with the project: those on the PATH are tried. */
const RUNTIMES: [string, string[]][] = [
  [process.execPath, []],
  ['bun', ['run']],
  ['deno', ['run', '--allow-all']],
]
const program = fileURLToPath(new URL('./runtime-program.js', import.meta.url))
const redirect: Step = response => void response.writeHead(307, { location: 'https://a.example.org/' }).end()

const isThere = (runtime: string) => spawnSync(runtime, ['--version']).status === 0

test.for(RUNTIMES)('the library is the same in %s', async ([runtime, args], { skip }) => {
  skip(!isThere(runtime), `${runtime} is not on the PATH`)
  const gone = await startPeer(hangUp)
  await gone.stop()
  const peer = await startPeer(hangUp, hangUpHalfway, reply(201, RECEIPT), reply(200, RECEIPT), redirect, stayMute)
  const child = spawn(runtime, [...args, program, peer.url, gone.url, newJournalPath()], PIPED)
  const { stdout, stderr } = await ended(child)
  expect({ said: JSON.parse(stdout || '{}'), stderr }).toEqual({
    said: {
      published: 'published',
      status: 'accepted',
      mode: '600',
      lines: 3,
      moved: { submissions: 1, added: 3 },
      redirected: 'refused redirected',
      timeout: 'unknown timeout',
      stopped: 'unknown aborted',
      gone: expect.stringMatching(/^(postponed|unknown) network_error$/),
      wrong: 'usage approval_required',
    },
    stderr: '',
  })
  expect(new Set(peer.arrivals.flatMap(({ headers }) => headers['idempotency-key'] ?? [])).size).toBe(1)
})
