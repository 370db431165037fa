// @module-tag programs
// @module-tag slow
import { expect, it } from 'vitest'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { SECRET, startWebhook } from '../../domain/notifications/operator/stand-ins.ts'
import { logNow } from '../../support/all-logged.ts'
import { migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishBody, report } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

/** On SQLite, a process that is stopped in the middle of a write would hold up everybody. */
async function stopAtRest(pid: number, store: Store): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP')
    const canWrite = await store.proveWrite().then(
      () => true,
      () => false,
    )
    if (canWrite) return
    process.kill(pid, 'SIGCONT')
  }
}

/** Waits for leases to run out, so both engines wait together. */
it.concurrent.each(SQLITE_FIRST)('background work on %s goes on when who does it hangs or is killed', async engine => {
  const [database, sites, webhook] = [await migratedDatabase(engine), await startSites(), await startWebhook()]
  const env = {
    SERVICE_KEY: '7'.repeat(64),
    FETCH_CONNECT_TO: sites.connectTo,
    ...database.env,
    OPERATOR_WEBHOOK_URL: webhook.url,
    OPERATOR_WEBHOOK_SECRET: SECRET,
    LOG_LEVEL: 'info',
  }
  const services: ServiceProcess[] = [await startProcess({ ...env, WORKERS: '2' }), await startProcess(env)]
  const [, other] = services as [ServiceProcess, ServiceProcess]
  const store = await database.openStore()
  const telling = async () => {
    const job = await store.db.selectFrom('job').selectAll().where('name', '=', 'tell-webhook').executeTakeFirst()
    return { pid: Number(/\d+$/.exec(job?.holder ?? '')?.[0] ?? 0), fence: Number(job?.fence) }
  }
  /** Waits until another process tells the operator. */
  const anotherThan = async (pid: number) => {
    await expect.poll(async () => [0, pid].includes((await telling()).pid)).toBe(false)
    return telling()
  }
  let stopped = 0
  try {
    const { pid: first } = await anotherThan(0)
    await expect.poll(() => store.db.selectFrom('told').selectAll().execute()).toHaveLength(1)

    stopped = first
    await stopAtRest(first, store)
    const url = other.child.pid === first ? (services[0] as ServiceProcess).url : other.url
    sites.set(
      'shop.com',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<title>A Shop</title><p>Words enough to be read and listed.'),
    )
    expect(
      (await publish({ url }, newCredentials(), publishBody('http://shop.com/'), { connection: 'close' })).status,
    ).toBe(201)
    expect(await report({ url }, 'shop.com')).toBeLessThan(400)
    const second = await anotherThan(first)
    await expect.poll(() => webhook.heard.length).toBe(1)
    // It takes nothing back, and tells nothing again.
    process.kill(first, 'SIGCONT')
    stopped = 0
    await expect.poll(() => services.map(service => service.output()).join('')).toContain('lost a background job')
    expect(await telling()).toEqual(second)

    process.kill(second.pid, 'SIGKILL')
    await anotherThan(second.pid)
    await logNow(store)
    expect(await verifyLog(store, Date.now())).toMatchObject({ decisions: 2 })
    expect(webhook.heard).toHaveLength(1)

    for (const service of services) await service.end('SIGTERM')
    const holders = await store.db.selectFrom('job').select('holder').distinct().execute()
    expect(holders).toEqual([{ holder: null }])
  } finally {
    // It would keep its output open.
    if (stopped) process.kill(stopped, 'SIGCONT')
    for (const service of services) await service.end('SIGKILL')
    await Promise.all([sites.close(), webhook.close(), database.remove()])
  }
})
