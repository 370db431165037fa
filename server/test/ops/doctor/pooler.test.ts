// @module-tag postgres
// @module-tag programs
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/ops/doctor/finding.ts'
import { freePort } from '../../support/free-port.ts'
import { operateHere } from '../../support/operate.ts'
import { run, startProcess } from '../../support/process.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const isInstalled = spawnSync('pgbouncer', ['--version']).error === undefined
if (!isInstalled) console.warn('pgbouncer is not installed, so the doctor is not tested with it')

const TIMEOUTS = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
const CONNECT_QUERY =
  'set statement_timeout = 10000; set lock_timeout = 8000; set idle_in_transaction_session_timeout = 10000'
const NOBODY = 65534

describe('placard doctor, in front of PostgreSQL,', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ engine: 'postgres' })
    service.clock.now = Date.now()
  })
  afterAll(() => service.stop())

  async function found(others: Record<string, string>) {
    const env = { ...service.database.env, PORT: new URL(service.url).port, ...others }
    const { output } = await operateHere(env, 'doctor', '--json')
    const { findings } = JSON.parse(output) as { findings: Finding[] }
    return (about: string) =>
      findings.filter(each => each.about === about).map(({ state, says }) => `${state}: ${says}`)
  }

  it('finds no pooler where there is none', async () => {
    expect((await found({}))('pooler')).toEqual(['ok: none between Placard and PostgreSQL'])
  })

  it('says with which isolation transactions do not see what they wait for, and the service does not start', async () => {
    const { env } = service.database
    const DATABASE_URL = `${env.DATABASE_URL}?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read`
    const fault =
      'default_transaction_isolation of PostgreSQL is "repeatable read": set it to "read committed" with ALTER DATABASE or ALTER ROLE'
    expect((await found({ DATABASE_URL }))('database')).toEqual([`failed: ${fault}`])
    const started = run('server/bundled/main.js', [], { ...env, DATABASE_URL, PORT: '0' })
    expect([await started.ended, started.output()]).toEqual([1, `Placard cannot start: ${fault}\n`])
  })

  it('names an encoding that lacks letters, and the service creates no site in it', async () => {
    const { env } = service.database
    const address = new URL(env.DATABASE_URL ?? '')
    const [name, client] = [`${address.pathname.slice(1)}_ascii`, new pg.Client(env.DATABASE_URL)]
    await client.connect()
    await client.query(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`)
    address.pathname = name
    const DATABASE_URL = address.href
    const fault =
      'the encoding of the database is SQL_ASCII: create it with "create database … encoding \'UTF8\' template template0"'
    try {
      expect((await found({ DATABASE_URL }))('database')).toEqual([`failed: ${fault}`])
      const started = run('server/bundled/main.js', [], { ...env, DATABASE_URL, PORT: '0' })
      expect(await started.ended).toBe(1)
      expect(started.output()).toBe(`Placard cannot start: the database cannot be used: ${fault}\n`)
    } finally {
      await client.query(`drop database ${name} with (force)`)
      await client.end()
    }
  })

  it('says at the start that the user may create no tables, which since PostgreSQL 15 only an owner may', async () => {
    const { env } = service.database
    const address = new URL(env.DATABASE_URL ?? '')
    const [name, client] = [`${address.pathname.slice(1)}_owned`, new pg.Client(env.DATABASE_URL)]
    await client.connect()
    await client.query(`create database ${name}`)
    await client.query(`create role ${name} login password 'p'`)
    Object.assign(address, { pathname: name, username: name, password: 'p' })
    const DATABASE_URL = address.href
    try {
      const refused = run('server/bundled/main.js', [], { ...env, DATABASE_URL, PORT: '0' })
      expect(await refused.ended).toBe(1)
      const [, fault = '', advice = ''] = /: (the user [^:]*): .* with "([^"]*)"\n$/.exec(refused.output()) ?? []
      expect(fault).toBe('the user of DATABASE_URL may not create tables there')
      await client.query(advice.replace('NAME', name).replace('USER', name))
      const started = await startProcess({ ...env, DATABASE_URL })
      await started.end('SIGTERM')
    } finally {
      await client.query(`drop database ${name} with (force)`)
      await client.query(`drop role ${name}`)
      await client.end()
    }
  })

  it('says that PostgreSQL does not wait for the disk, and so does the service at its start', async () => {
    const { env } = service.database
    const DATABASE_URL = `${env.DATABASE_URL}?options=-c%20synchronous_commit%3Doff`
    const fault =
      'synchronous_commit of PostgreSQL is off, so a power cut can lose receipts and payments: set it to on with ALTER DATABASE or ALTER ROLE'
    expect((await found({ DATABASE_URL }))('database')).toEqual([`warning: ${fault}`])
    const started = await startProcess({ ...env, DATABASE_URL })
    await started.end('SIGTERM')
    expect(started.output()).toContain(fault)
  })

  it.runIf(isInstalled).each([
    { mode: 'transaction', ignored: TIMEOUTS, query: CONNECT_QUERY, pooler: /^ok: it shares connections/ },
    {
      mode: 'transaction',
      ignored: TIMEOUTS,
      query: '',
      pooler: /^warning: it drops Placard’s timeouts.*connect_query/,
    },
    {
      mode: 'session',
      ignored: TIMEOUTS,
      query: CONNECT_QUERY,
      pooler: /^warning: it holds .* set pool_mode = transaction/,
    },
    { mode: 'statement', ignored: TIMEOUTS, query: CONNECT_QUERY, pooler: /^failed: it refuses transactions/ },
    { mode: 'transaction', ignored: 'options', query: '', pooler: undefined },
  ])('tells how PgBouncer shares connections: $mode, $ignored, $query', async ({ mode, ignored, query, pooler }) => {
    const address = new URL(service.database.env.DATABASE_URL ?? '')
    const folder = mkdtempSync(join(tmpdir(), 'placard-pgbouncer-'))
    const port = await freePort()
    const { hostname, username, password, pathname } = address
    const database = `host=${hostname} port=${address.port} dbname=${pathname.slice(1)} user=${username} password=${password}`
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]\nplacard = ${database}${query && ` connect_query='${query}'`}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\nignore_startup_parameters = ${ignored}\n`,
    )
    chmodSync(folder, 0o755)
    // It refuses to run as root.
    const isRoot = process.getuid?.() === 0
    const program = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
      stdio: 'ignore',
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    })
    try {
      await expect.poll(() => accepts(port)).toBe(true)
      const said = await found({ DATABASE_URL: `postgres://placard@127.0.0.1:${port}/placard` })
      if (pooler) expect(said('pooler')).toEqual([expect.stringMatching(pooler)])
      else
        expect(said('database')).toEqual([
          expect.stringMatching(/^failed: .*set ignore_startup_parameters = statement/),
        ])
    } finally {
      program.kill('SIGKILL')
      await once(program, 'exit')
      rmSync(folder, { recursive: true })
    }
  })
})

const accepts = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.end())
  })
