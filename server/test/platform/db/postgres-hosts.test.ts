// @module-tag postgres
import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { hostsOf, hostUrls } from '../../../src/platform/config/postgres-url.ts'
import { isStoreFailure } from '../../../src/platform/db/failures.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { openPostgresSnapshot } from '../../../src/platform/db/postgres-snapshot.ts'
import { databaseMoved } from '../../../src/platform/lib/diagnostics.ts'
import { daysFromNow, type KeyAndCertificate, makeAuthority } from '../../support/certificates.ts'
import { emptyDatabase } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { operateHere } from '../../support/operate.ts'
import { type EmbeddedServer, startEmbedded } from '../../support/postgres.ts'

const ONE_HOST = 'postgres://placard:hunter2@one:5432/placard'
const TWO_HOSTS = 'postgres://placard:hunter2@one:5432,two:5433/placard'
const READ_WRITE = 'target_session_attrs=read-write'

describe('DATABASE_URL', () => {
  const parse = (url: string) => configFrom({ DATABASE_URL: url, SERVICE_KEY: '11'.repeat(32) }).databaseUrl

  it.each([ONE_HOST, `${ONE_HOST}?${READ_WRITE}`, `${TWO_HOSTS}?${READ_WRITE}`, 'postgres:///placard'])(
    'accepts %s',
    url => expect(parse(url)).toBe(url),
  )

  it.each([
    [ONE_HOST, 'one:5432'],
    [`${TWO_HOSTS}?${READ_WRITE}`, 'one:5432, two:5433'],
    ['postgres:///placard?host=/var/run/postgresql', '/var/run/postgresql'],
  ])('names its hosts on a terminal: %s', (url, hosts) => expect(hostsOf(url)).toBe(hosts))

  // Without a warning of `pg` in many lines.
  it.each([
    ['?sslmode=require', '?sslmode=verify-full'],
    ['?a=b&sslmode=verify-ca&c=d', '?a=b&sslmode=verify-full&c=d'],
    ['?sslmode=disable', '?sslmode=disable'],
    ['?sslmode=require&uselibpqcompat=true', '?sslmode=require&uselibpqcompat=true'],
  ])('verifies certificates: %s', (given, used) => {
    expect(hostUrls(ONE_HOST + given).urls).toEqual([ONE_HOST + used])
  })

  it.each([
    [TWO_HOSTS, 'must end in ?target_session_attrs=read-write'],
    [`${TWO_HOSTS}?target_session_attrs=any`, 'must have target_session_attrs=read-write or none'],
    [`${ONE_HOST}?target_session_attrs=primary`, 'must have target_session_attrs=read-write or none'],
    [`${ONE_HOST}?ssl_mode=verify-full`, 'must not have ssl_mode: sslmode and sslrootcert encrypt the connection'],
    [`${ONE_HOST}?SSLMODE=require`, 'must not have SSLMODE: sslmode and sslrootcert encrypt the connection'],
    [`${ONE_HOST}?tls=true`, 'must not have tls: sslmode and sslrootcert encrypt the connection'],
    ['postgres://placard:hunter2#/@one/placard', 'with special characters of the password percent-encoded'],
    [`${TWO_HOSTS}?${READ_WRITE}&load_balance_hosts=random`, 'must not have load_balance_hosts'],
    [`${ONE_HOST}?hostaddr=10.0.0.1`, 'must not have hostaddr'],
    [`postgres:///placard?host=one,two&${READ_WRITE}`, 'must have several hosts before the path'],
    [`${TWO_HOSTS}?${READ_WRITE}&host=three`, 'must have several hosts before the path'],
    [`postgres://placard:hunter2@one,,two/placard?${READ_WRITE}`, 'must be a postgres:// address'],
    [`mysql://placard:hunter2@one,two/placard?${READ_WRITE}`, 'must be a postgres:// address'],
  ])('refuses %s, and never repeats the password', (url, reason) => {
    expect(() => parse(url)).toThrow(reason)
    expect(() => parse(url)).not.toThrow('hunter2')
  })
})

describe('several hosts', () => {
  let first: EmbeddedServer
  let second: string
  beforeAll(async () => {
    first = await startEmbedded(['-c', 'fsync=off', '-c', 'max_connections=50'])
    second = inject('postgresUrl')
  })
  beforeEach(() => setReadOnly('off'))
  afterAll(() => first.stop())

  /** As an operator, or a tool for failover, does it. Open sessions follow, too. */
  const setReadOnly = async (value: 'on' | 'off') => {
    await onFirst(`alter system set default_transaction_read_only = ${value}`)
    await onFirst('select pg_reload_conf()')
    await expect.poll(() => onFirst('show default_transaction_read_only')).toBe(value)
  }
  async function onFirst(text: string) {
    const client = new pg.Client({ connectionString: `${first.url}/postgres` })
    await client.connect()
    const { rows } = await client.query({ text, rowMode: 'array' }).finally(() => client.end())
    return rows[0]?.[0]
  }

  const portOf = (url: string) => Number(new URL(url).port)
  const urlOf = (...ports: number[]) => {
    const hosts = ports.map(port => `127.0.0.1:${port}`).join(',')
    return `postgres://placard:placard@${hosts}/postgres?${READ_WRITE}`
  }
  const open = (...ports: number[]) => {
    const store = openPostgres(urlOf(...ports), { patient: false })
    onTestFinished(() => store.close())
    const port = sql<{ port: number }>`select current_setting('port')::int as port`
    return {
      readsFrom: async () => (await store.executeQuery<{ port: number }>(PORT)).rows[0]?.port,
      writesTo: () =>
        store.transact(async trx => {
          const { rows } = await port.execute(trx)
          await sql`create table placard_hosts (id int)`.execute(trx)
          await sql`drop table placard_hosts`.execute(trx)
          return rows[0]?.port
        }),
    }
  }
  const PORT = CompiledQuery.raw("select current_setting('port')::int as port")

  it('are tried in order, past a dead and a read-only one', async () => {
    await setReadOnly('on')
    const store = open(await freePort(), portOf(first.url), portOf(second))
    expect(await store.readsFrom()).toBe(portOf(second))
    expect(await store.writesTo()).toBe(portOf(second))
    const snapshot = await openPostgresSnapshot(urlOf(portOf(first.url), portOf(second)))
    onTestFinished(() => snapshot.close())
    expect((await snapshot.runner.executeQuery<{ port: number }>(PORT)).rows[0]?.port).toBe(portOf(second))
  })

  it('are left, with all connections, when the server refuses a write', async () => {
    const moves: unknown[] = []
    onTestFinished(databaseMoved.listen(move => moves.push(move)))
    const store = open(portOf(first.url), portOf(second))
    expect(await store.readsFrom()).toBe(portOf(first.url))
    expect(await store.writesTo()).toBe(portOf(first.url))
    await setReadOnly('on')
    await expect(store.writesTo()).rejects.toMatchObject({ code: '25006' })
    expect(await store.writesTo()).toBe(portOf(second))
    // Reads of the old server would be out of date.
    await expect.poll(() => store.readsFrom().catch(() => undefined)).toBe(portOf(second))
    expect(moves).toEqual([{ from: `127.0.0.1:${portOf(first.url)}`, to: `127.0.0.1:${portOf(second)}` }])
  })

  it('are left when the server ends all connections and returns read-only, as after a demotion', async () => {
    const store = open(portOf(first.url), portOf(second))
    expect(await store.writesTo()).toBe(portOf(first.url))
    await setReadOnly('on')
    await onFirst(
      `select count(pg_terminate_backend(pid)) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    await expect.poll(() => store.writesTo().catch(() => undefined)).toBe(portOf(second))
  })

  it('fail as an unavailable database while none accepts writes, and say why without the password', async () => {
    await setReadOnly('on')
    const dead = await freePort()
    const store = open(dead, portOf(first.url))
    const error = await store.writesTo().catch(error => error)
    expect(error.message).toContain(`127.0.0.1:${dead}: connect ECONNREFUSED`)
    expect(error.message).toContain(`127.0.0.1:${portOf(first.url)}: the server accepts no writes`)
    expect(error.message).not.toContain('placard:')
    expect(isStoreFailure(error)).toBe(true)
    await setReadOnly('off')
    expect(await store.writesTo()).toBe(portOf(first.url))
  })

  it('are reached over TLS only with a valid certificate of their name by a trusted authority', async () => {
    const { uid, gid } = statSync(first.databaseDir)
    const write = (name: string, text: string) => {
      writeFileSync(join(first.databaseDir, name), text, { mode: 0o600 })
      chownSync(join(first.databaseDir, name), uid, gid)
    }
    const serveWith = async ({ key, cert }: KeyAndCertificate) => {
      write('server.key', key)
      write('server.crt', cert)
      await onFirst('alter system set ssl = on')
      await onFirst('select pg_reload_conf()')
    }
    const authority = await makeAuthority()
    write('authority.pem', authority.cert)
    const trusted = `&sslrootcert=${join(first.databaseDir, 'authority.pem')}`
    const uses = async (parameters: string) => {
      const url = `postgres://placard:placard@localhost:${portOf(first.url)},127.0.0.1:1/postgres?${READ_WRITE}${parameters}`
      const snapshot = await openPostgresSnapshot(url)
      const isEncrypted = CompiledQuery.raw('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      const { rows } = await snapshot.runner.executeQuery<{ ssl: boolean }>(isEncrypted).finally(snapshot.close)
      return rows[0]?.ssl
    }
    // A connection can come before the server has read its new files.
    const refuses = (parameters: string) => expect.poll(() => uses(parameters).catch(({ message }) => message))

    await serveWith(await authority.issue('localhost'))
    await expect.poll(() => uses(`&sslmode=verify-full${trusted}`).catch(() => undefined)).toBe(true)
    expect(await uses('')).toBe(false)
    await refuses('&sslmode=verify-full').toContain('unable to verify the first certificate')
    // libpq would not verify it.
    await refuses('&sslmode=require').toContain('unable to verify the first certificate')
    await serveWith(await authority.issue('elsewhere.example.org'))
    await refuses(`&sslmode=require${trusted}`).toContain('does not match certificate')
    await serveWith(await authority.issue('localhost', { notBefore: daysFromNow(-9), notAfter: daysFromNow(-2) }))
    await refuses(`&sslmode=verify-full${trusted}`).toContain('certificate has expired')
  })

  it('serve migrations and commands', async () => {
    const database = await emptyDatabase('postgres')
    onTestFinished(() => database.remove())
    const DATABASE_URL = `${database.env.DATABASE_URL?.replace('@', `@127.0.0.1:${await freePort()},`)}?${READ_WRITE}`
    const env = { ...database.env, DATABASE_URL }
    expect(await operateHere(env, 'migrate')).toMatchObject({ code: 0 })
    expect(await operateHere(env, 'jobs')).toMatchObject({ code: 0 })
  })
})
