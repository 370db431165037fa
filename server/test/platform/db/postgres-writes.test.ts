// @module-tag postgres
// @module-tag programs
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { migratedDatabase } from '../../support/engines.ts'
import { startEmbedded } from '../../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishBody, report } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function readiness(service: ServiceProcess) {
  const response = await fetch(`${service.url}/readyz`)
  const body = (await response.json()) as { code?: string; status?: string }
  return [response.status, body.code ?? body.status]
}

async function send(service: ServiceProcess, credentials: ReturnType<typeof newCredentials>, host: string) {
  const { status, body } = await publish(service, credentials, publishBody(`http://${host}/`))
  return [status, body.code ?? body.status]
}

describe('a PostgreSQL that takes no writes', () => {
  it('because it is read-only, shows in the probe and as 503, and recovers', async () => {
    const database = await migratedDatabase('postgres')
    const sites = await startSites()
    const service = await startProcess({ ...database.env, FETCH_CONNECT_TO: sites.connectTo })
    expect(await send(service, newCredentials(), 'before.com')).toEqual([201, 'published'])
    expect(await report(service, 'before.com')).toBe(303)
    expect(await readiness(service)).toEqual([200, 'ready'])
    const url = database.env.DATABASE_URL ?? ''
    const name = new URL(url).pathname.slice(1)
    // Only new connections use the setting.
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
    await query(url, `alter database ${name} set default_transaction_read_only = on`, cut)
    await expect.poll(() => readiness(service)).toEqual([503, 'not_ready'])
    const credentials = newCredentials()
    expect(await send(service, credentials, 'read-only.com')).toEqual([503, 'publication_unconfirmed'])
    expect(await report(service, 'before.com')).toBe(503)
    await expect.poll(() => service.output()).toContain('"cause":"25006"')
    expect((await fetch(`${service.url}/`)).status).toBe(200)
    await query(url, 'set default_transaction_read_only = off', `alter database ${name} reset all`, cut)
    await expect.poll(() => readiness(service)).toEqual([200, 'ready'])
    expect(await send(service, credentials, 'read-only.com')).toEqual([201, 'published'])
    expect(service.output()).not.toContain('"level":50')
    await service.end('SIGTERM')
    await sites.close()
    await database.remove()
  })

  it('because its disk is full, shows in the probe and as 503, and recovers once there is room', async context => {
    const disk = mountSmallDisk(48)
    if (!disk) return context.skip('this process may not mount')
    // A server of its own: until there is room again, one with a full disk can make no checkpoint, and drop no database.
    const server = await startEmbedded(['-c', 'fsync=off', '-c', 'max_connections=30'])
    // It runs as this user where it is started by root.
    execFileSync('chown', ['postgres', disk.folder])
    await query(
      `${server.url}/postgres`,
      `create tablespace small location '${disk.folder}'`,
      'create database filled tablespace small',
    )
    const sites = await startSites()
    const dataDir = mkdtempSync(join(tmpdir(), 'placard-full-'))
    const service = await startProcess({
      DATA_DIR: dataDir,
      DATABASE_URL: `${server.url}/filled`,
      SERVICE_KEY: randomBytes(32).toString('hex'),
      FETCH_CONNECT_TO: sites.connectTo,
      LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
      LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
      LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
    })
    try {
      expect(await send(service, newCredentials(), 'before.com')).toEqual([201, 'published'])
      expect(await readiness(service)).toEqual([200, 'ready'])
      disk.fill()
      const refused = newCredentials()
      let outcome: unknown[] = []
      // Until the room that the tables have within themselves is used up.
      for (let round = 0; round < 500 && outcome[0] !== 503; round++) {
        outcome = await send(service, round % 2 ? newCredentials() : refused, `full-${round}.com`)
      }
      expect(outcome).toEqual([503, 'publication_unconfirmed'])
      // The probe may answer by what it proved up to a second ago.
      await expect.poll(() => readiness(service)).toEqual([503, 'not_ready'])
      expect((await fetch(`${service.url}/`)).status).toBe(200)
      await expect.poll(() => service.output()).toMatch(/"cause":"53100"/)
      expect(service.output()).not.toContain('"level":50')
      disk.empty()
      await expect.poll(() => readiness(service)).toEqual([200, 'ready'])
      expect(await send(service, newCredentials(), 'after.com')).toEqual([201, 'published'])
    } finally {
      await service.end('SIGTERM')
      await sites.close()
      await server.stop()
      disk.remove()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
