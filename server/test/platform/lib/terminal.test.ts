// @module-tag programs
// @module-tag slow
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { lineForPeople } from '../../../src/platform/lib/log.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { NO_OPTIMISED_CODE, startProcess } from '../../support/process.ts'
import { needs } from '../../support/tags.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
let database: EmptyDatabase
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
})
afterEach(() => database.remove())

/** Starts the service on a terminal of its own. */
function startOnTerminal(env: Record<string, string>) {
  needs('programs')
  const command = `${process.execPath} ${NO_OPTIMISED_CODE.join(' ')} server/bundled/main.js`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PLACARD_DRAWS_AHEAD: 'no', ...database.env, PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const ended = once(child, 'close')
  return {
    output: () => output.replaceAll('\r\n', '\n'),
    /** Ends it as a person does. */
    async interrupt() {
      child.stdin.write('\x03')
      await ended
    },
  }
}

describe('on a terminal, the service', () => {
  it.each(['1', '2'])('prints a short page, and lines for people: %s workers', async workers => {
    const service = startOnTerminal({ WORKERS: workers, NO_COLOR: '1', FETCH_CONNECT_TO: ':80:127.0.0.1:9' })
    await expect.poll(service.output).toContain('Help')
    const { output } = service
    expect(output()).toMatch(/^Placard \S+ is ready\. Ctrl\+C stops it\.$/m)
    const [, url = ''] = /^ +Address +(http:\/\/127\.0\.0\.1:\d+)$/m.exec(output()) ?? []
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(output()).toContain(`  Data       ${database.dataDir}\n`)
    expect(output()).toMatch(/^ +Payments +the sandbox, which moves no money$/m)
    expect(output()).toMatch(/^ +Next +BASE_URL: /m)
    expect(output().match(/Address/g)?.length).toBe(1)
    expect(output()).toMatch(/^\d\d:\d\d:\d\d {2}warning {2}FETCH_CONNECT_TO is set: /m)
    expect(output()).not.toMatch(/^\{/m)
    expect(output()).not.toContain('\x1b')
    await service.interrupt()
    expect(output()).toMatch(/\d\d:\d\d:\d\d {2}stopping: /)
  })

  it('says that nothing is for sale on a public address without a processor', async () => {
    const service = startOnTerminal({ BASE_URL: 'https://placard.example.org', NO_COLOR: '1' })
    await expect.poll(service.output).toContain('Help')
    expect(service.output()).toMatch(/^ +Payments +none: no places are for sale$/m)
    expect(service.output()).toMatch(/PAYMENTS=stripe: to sell places on the boards$/m)
    await service.interrupt()
  })

  it('prints no page if only warnings are wanted, and these in colour unless NO_COLOR is set', async () => {
    const service = startOnTerminal({ LOG_LEVEL: 'warn', FETCH_CONNECT_TO: ':80:127.0.0.1:9' })
    await expect.poll(service.output).toContain('FETCH_CONNECT_TO')
    await service.interrupt()
    expect(service.output()).toContain('\x1b[33mwarning\x1b[0m')
    expect(service.output()).not.toContain('Address')
  })
})

it('on a narrow terminal, the help of the commands has their meaning below them', () => {
  needs('programs')
  const command = `stty cols 40; ${process.execPath} server/bundled/placard.js help unblock`
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: root, encoding: 'utf8' })
  expect(stdout.replaceAll('\r\n', '\n')).toContain('\n  unblock HOST --reason TEXT\n      unblock a host\n')
})

it('elsewhere, it writes JSON lines only', async () => {
  const service = await startProcess(database.env)
  await service.end('SIGTERM')
  for (const line of service.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
})

describe('a line for people', () => {
  const line = (fields: object) =>
    lineForPeople(JSON.stringify({ level: 30, time: 0, pid: 1, hostname: 'h', msg: 'published', ...fields }), false)

  it('says when, what, and about what', () => {
    expect(line({ slug: 'bakery-com', reqId: 'r1' })).toMatch(
      /^\d\d:\d\d:\d\d {2}published {2}slug=bakery-com request=r1\n$/,
    )
    expect(line({ level: 50, err: { stack: 'Error: no\n    at x' } })).toMatch(
      / {2}error {2}published\n {4}Error: no\n {8}at x\n$/,
    )
  })

  it('gives no stranger control over the terminal', () => {
    const hostile = line({ msg: 'a\x1b]0;b\x07', title: '\x1b[2J\u202e\x9b', err: { message: '\x1b[31m' } })
    expect(hostile.replace(/\n/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(hostile).toContain('\\u{1b}')
  })
})
