import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { freePort } from '../../server/test/support/free-port.ts'
import { query } from '../../server/test/support/postgres.ts'
import { startRelay } from './relay.ts'

// Debian: apt-get install patroni etcd-server python3-etcd postgresql. Everything runs on loopback, on ports of its own.

const BINARIES = '/usr/lib/postgresql/15/bin'
const WAIT_MAX_MS = 90_000
const [USER, PASSWORD] = ['placard', 'placard']

/** A run that fails half-way must not leave a program running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export type Cluster = Awaited<ReturnType<typeof startCluster>>
export type Node = Awaited<ReturnType<typeof makeNode>>

/**
 * Starts Patroni with one etcd and two PostgreSQL nodes. The service, the other node, etcd and Patroni's own API reach
 * a node only through relays, which can cut it off.
 */
export async function startCluster(folder: string, { isSynchronous }: { isSynchronous: boolean }) {
  const home = join(folder, 'cluster')
  const owner = ownerOf()
  chmodSync(folder, 0o755)
  mkdirSync(home)
  if (owner) chownSync(home, owner.uid, owner.gid)
  const run = (name: string, command: string, ...args: string[]) => {
    const log = openSync(join(home, `${name}.log`), 'a')
    const child = spawn(command, args, { cwd: home, stdio: ['ignore', log, log], ...owner })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }
  const etcd = await startEtcd(home, run)
  const nodes = [await makeNode(home, run, 0, etcd.port), await makeNode(home, run, 1, etcd.port)] as const
  for (const node of nodes) node.configure(isSynchronous)
  const cluster = {
    nodes,
    /** Which node accepts writes; undefined if none does. */
    async leader(): Promise<Node | undefined> {
      for (const node of nodes) if (await node.isPrimary()) return node
      return undefined
    },
    otherThan: (node: Node): Node => (node === nodes[0] ? nodes[1] : nodes[0]),
    /** Waits until there is a leader, and a standby that has everything. */
    untilWhole: () => until('the cluster is whole', () => isWhole(nodes, isSynchronous)),
    /** Creates an empty database. @returns the settings for it */
    async database(name: string) {
      const leader = await cluster.leader()
      await leader?.query(`create database ${name}`)
      const hosts = nodes.map(({ relays }) => `127.0.0.1:${relays.clients.port}`).join(',')
      return {
        DATABASE_URL: `postgres://${USER}:${PASSWORD}@${hosts}/${name}?target_session_attrs=read-write`,
        SERVICE_KEY: randomBytes(32).toString('hex'),
      }
    },
    async stop() {
      await Promise.all(nodes.map(node => node.stop()))
      await etcd.stop()
      for (const { relays } of nodes) for (const relay of Object.values(relays)) relay.close()
    },
  }
  await nodes[0].start()
  await until('the first node is the leader', () => nodes[0].isPrimary())
  await nodes[1].start()
  await cluster.untilWhole()
  return cluster
}

/** PostgreSQL refuses to run as root: in a container, Debian's user runs it. */
function ownerOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

type Run = (name: string, command: string, ...args: string[]) => ChildProcess

async function startEtcd(home: string, run: Run) {
  const [client, peer] = [await freePort(), await freePort()].map(port => `http://127.0.0.1:${port}`)
  const urls = ['--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer]
  const cluster = ['--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`]
  const flags = [...urls, ...cluster, '--name', 'one', '--data-dir', join(home, 'etcd')] as string[]
  const child = run('etcd', 'etcd', ...flags)
  await until('etcd answers', async () => (await fetch(`${client}/health`)).ok)
  return { port: Number(new URL(client ?? '').port), stop: () => end(child, 'SIGTERM') }
}

async function makeNode(home: string, run: Run, index: number, etcdPort: number) {
  const name = `node${index}`
  const [port, api] = [await freePort(), await freePort()]
  const dataDir = join(home, name)
  const relays = {
    clients: await startRelay(port),
    replication: await startRelay(port),
    api: await startRelay(api),
    etcd: await startRelay(etcdPort),
  }
  const file = join(home, `${name}.json`)
  let patroni: ChildProcess | undefined
  const queryNode = <Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> => {
    const login = { host: '127.0.0.1', port, user: USER, password: PASSWORD, database }
    return query<Row>({ ...login, connectionTimeoutMillis: 1000, query_timeout: 5000 }, text)
  }
  return {
    name,
    relays,
    api: `http://127.0.0.1:${api}`,
    query: queryNode,
    // Patroni reads YAML, of which JSON is a part.
    configure: (isSynchronous: boolean) =>
      writeFileSync(
        file,
        JSON.stringify({
          scope: 'placard',
          name,
          restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${relays.api.port}` },
          // Otherwise, Patroni asks etcd for its own address, and goes past the relay.
          etcd3: { hosts: `127.0.0.1:${relays.etcd.port}`, use_proxies: true },
          bootstrap: {
            dcs: {
              // The shortest that Patroni allows.
              ...{ ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: isSynchronous },
              maximum_lag_on_failover: 64 * 1024 * 1024,
              postgresql: { use_pg_rewind: true, parameters: { max_connections: 150, wal_keep_size: '256MB' } },
            },
            initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
            pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
          },
          postgresql: {
            listen: `127.0.0.1:${port}`,
            connect_address: `127.0.0.1:${relays.replication.port}`,
            data_dir: dataDir,
            bin_dir: BINARIES,
            pgpass: join(home, `${name}.pgpass`),
            authentication: {
              superuser: { username: USER, password: PASSWORD },
              rewind: { username: USER, password: PASSWORD },
              replication: { username: 'replicator', password: PASSWORD },
            },
            parameters: { unix_socket_directories: home },
          },
        }),
      ),
    async start() {
      patroni = run(name, 'patroni', file)
      await once(patroni, 'spawn')
    },
    /** As a loss of the machine: Patroni and PostgreSQL end at once. */
    async kill() {
      const [pid] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
      patroni?.kill('SIGKILL')
      process.kill(Number(pid), 'SIGKILL')
      if (patroni) await end(patroni, 'SIGKILL')
    },
    /** As a shutdown of the machine: PostgreSQL stops, and Patroni gives up the lead. */
    stop: async () => patroni && end(patroni, 'SIGTERM'),
    /** Cuts the node off from everything else. */
    cut() {
      for (const relay of Object.values(relays)) relay.goDown()
    },
    connect() {
      for (const relay of Object.values(relays)) relay.trouble = 'none'
    },
    isPrimary: () =>
      queryNode<{ is: boolean }>('select pg_is_in_recovery() as is').then(
        ([found]) => found?.is === false,
        () => false,
      ),
  }
}

/**
 * A leader, and a standby that streams. Patroni promotes a standby of a synchronous cluster only once it has noted that
 * it is one, which is later than PostgreSQL says so.
 */
async function isWhole(nodes: readonly Node[], isSynchronous: boolean): Promise<boolean> {
  const [leader, ...more] = (
    await Promise.all(nodes.map(async node => ((await node.isPrimary()) ? [node] : [])))
  ).flat()
  if (!leader || more.length > 0) return false
  const standbys = await leader.query(
    "select 1 from pg_stat_replication where state = 'streaming' and application_name like 'node%'",
  )
  const { members } = (await (await fetch(`${leader.api}/cluster`)).json()) as { members: { role: string }[] }
  const role = isSynchronous ? 'sync_standby' : 'replica'
  return standbys.length > 0 && members.some(each => each.role === role)
}

/** Waits for what the cluster does by itself. @throws Error if it does not */
export async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + WAIT_MAX_MS; performance.now() < giveUpAt; await sleep(50)) {
    if (await is().catch(() => false)) return
  }
  throw new Error(`waited in vain until ${what}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
