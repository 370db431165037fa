import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOARDS_PATH, type BoardPage, CONTRACT_VERSION, PUBLISH_PATH, type Receipt } from '@placard/contract'
import { PlacardClient } from 'placard-agent'
import { startPostgres } from '../bench/postgres.ts'
import { buy } from '../examples/seed/buy.ts'
import { Visitor } from '../examples/seed/visitor.ts'
import { hideListing } from '../server/dist/domain/moderation/moderate.js'
import { configFrom } from '../server/dist/platform/config/config.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { type RunningService, startService } from '../server/dist/start.js'
import { freePort } from '../server/test/support/free-port.ts'
import { startSites } from '../server/test/support/sites.ts'

// Runs the service's main path through PgBouncer in transaction mode, on two instances at once, and exits:
// npm run try:pgbouncer. It needs the program `pgbouncer` (Debian: apt-get install pgbouncer).

/** The configuration that docs/install.md shows, with addresses of ours, and fewer connections than the service would open. */
function configuration(database: URL, port: number): string {
  const docs = readFileSync(new URL('../docs/install.md', import.meta.url), 'utf8')
  const [, shown = ''] = /^```ini\n(.*?)^```$/ms.exec(docs) ?? []
  return shown
    .replace(/^placard = host=\S+ port=\d+/m, `pooled = host=${database.hostname} port=${database.port}`)
    .replace(/^listen_port = .*/m, `listen_port = ${port}\nunix_socket_dir =`)
    .replace(/^auth_type = .*/m, 'auth_type = plain')
    .replace(/^auth_file = .*/m, `auth_file = ${join(folder, 'users.txt')}`)
    .replace(/^default_pool_size = .*/m, 'default_pool_size = 6')
}

const LISTINGS = 12
const WIDE = {
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000',
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000',
  TRUSTED_PROXIES: '127.0.0.1/32',
}

const folder = mkdtempSync(join(tmpdir(), 'placard-pgbouncer-'))
chmodSync(folder, 0o755)
const postgres = await startPostgres()
const sites = await startSites()
const services: RunningService[] = []
let bouncer: ChildProcess | undefined
try {
  const { DATABASE_URL, SERVICE_KEY } = await postgres.database('pooled')
  const direct = new URL(DATABASE_URL)
  const port = await freePort()
  bouncer = await startBouncer(direct, port)
  const pooled = new URL(DATABASE_URL)
  pooled.port = String(port)

  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, name))
    const env = {
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATA_DIR: join(folder, name),
      DATABASE_URL: pooled.href,
      SERVICE_KEY,
    }
    services.push(await startService(configFrom({ ...env, ...WIDE, FETCH_CONNECT_TO: sites.connectTo })))
  }
  await mainPath(pooled.href)
  console.log('PgBouncer in transaction mode: everything answered as it does without.')
} finally {
  for (const service of services) await service.stop()
  if (bouncer) await end(bouncer)
  await sites.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Publishes, replays, quotes, pays and hides, on both instances by turns, and checks that both return the same. */
async function mainPath(databaseUrl: string): Promise<void> {
  const [one = '', two = ''] = services.map(({ port }) => `http://127.0.0.1:${port}`)
  const submissions = Array.from({ length: LISTINGS }, (_, n) => ({
    host: `pooled-${n}.com`,
    key: randomUUID(),
    secret: randomBytes(32).toString('hex'),
  }))
  const first = await Promise.all(submissions.map((each, n) => publish(n % 2 ? one : two, each)))
  assertEqual(
    'first answers',
    first.map(({ status }) => status),
    Array(LISTINGS).fill(201),
  )
  const again = await Promise.all(submissions.map((each, n) => publish(n % 2 ? two : one, each)))
  assertEqual(
    'replays on the other instance',
    again.map(({ status }) => status),
    Array(LISTINGS).fill(200),
  )
  assertEqual(
    'their receipts',
    again.map(({ receipt }) => receipt),
    first.map(({ receipt }) => receipt),
  )

  await Promise.all(
    first.slice(0, 6).map(async ({ receipt }, n) => {
      const service = n % 2 ? one : two
      const website = { host: `pooled-${n}.com`, category: 'Games' }
      const plan = { website, board: 'all' } as Parameters<typeof buy>[2]
      const bid = { privateLink: receipt.ownership.privateRecoveryUrl ?? '', targetBid: 10 + n }
      await buy(new PlacardClient({ service }), new Visitor(service, `198.51.100.${n + 1}`), plan, bid)
    }),
  )
  const paid = Array.from({ length: 6 }, (_, n) => (15 - n) * 100)
  for (const service of [one, two]) assertEqual('the board after payments', await totals(service), paid)

  const store = await openStore({ databaseUrl, dataDir: folder, patient: true })
  const hidden = await hideListing(store, 'pooled-5-com', 'To try it', Date.now())
  await store.close()
  assertEqual('hidden', hidden?.changed, true)
  for (const service of [one, two]) assertEqual('the board after hiding', await totals(service), paid.slice(1))
}

async function publish(service: string, { host, key, secret }: { host: string; key: string; secret: string }) {
  const response = await fetch(service + PUBLISH_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, 'x-submission-secret': secret },
    body: JSON.stringify({
      destination: `http://${host}/`,
      category: 'Games',
      approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: CONTRACT_VERSION },
    }),
  })
  const receipt = (await response.json()) as Receipt
  // Each instance gives its own address, since none has a BASE_URL.
  return {
    status: response.status,
    receipt: JSON.parse(JSON.stringify(receipt).replaceAll(service, '')) as Receipt,
  }
}

async function totals(service: string): Promise<number[]> {
  const page = (await (await fetch(`${service}${BOARDS_PATH}/all`)).json()) as BoardPage
  return page.entries.map(({ totalCents }) => totalCents)
}

function assertEqual(what: string, actual: unknown, expected: unknown): void {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is !== ought) throw new Error(`${what}: ${is} instead of ${ought}`)
  console.log(`ok  ${what}`)
}

async function startBouncer(database: URL, port: number): Promise<ChildProcess> {
  const { username, password } = database
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration(database, port))
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...asNobody, join(folder, 'pgbouncer.ini')], { stdio: 'inherit' })
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`pgbouncer ended with ${code}`)))
  await Promise.race([listening(port), failed])
  failed.catch(() => {})
  return child
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const [isOpen] = await Promise.race([once(socket, 'connect').then(() => [true]), once(socket, 'close')]).catch(
      () => [],
    )
    socket.destroy()
    if (isOpen === true) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}
