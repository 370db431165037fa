import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOARDS_PATH, PUBLISH_PATH } from '@placard/contract'
import { fillBoard } from './fill-board.ts'
import { freePort, install, runToEnd, START_MS, startNode } from './peer-process.ts'
import { credentials, json, publishBody, WIDE_ENV } from './requests.ts'
import { startWhole } from './whole-service.ts'

/** A service that takes items and lists them. */
export interface Peer {
  name: string
  /** Makes it ready to start, with {@link ITEMS} items. Once. @throws Error that says what failed */
  prepare(): Promise<void>
  /** Starts it, and waits for its first answer. */
  start(): Promise<Running>
}

export interface Running {
  pid: number
  create(): Promise<void>
  list(): Promise<void>
  stop(): Promise<void>
}

/** How many items each has before it is measured. */
export const ITEMS = 1000
export const LISTED = 20
const ANSWER_MS = 30_000

/** @param sites address of the websites that it publishes */
export function placard(folder: string, sites: string): Peer {
  const env = { ...WIDE_ENV, DATA_DIR: join(folder, 'placard'), FETCH_CONNECT_TO: sites }
  return {
    name: 'Placard',
    async prepare() {
      await fillBoard(env.DATA_DIR, ITEMS)
    },
    async start() {
      const { url, pid, stop } = await startWhole(env)
      await ask(`${url}/readyz`)
      return {
        pid,
        stop,
        create: () => post(url + PUBLISH_PATH, publishBody(`http://peer-${++created}.com`), credentials()),
        list: () => ask(`${url}${BOARDS_PATH}/all?limit=${LISTED}`, LISTED),
      }
    },
  }
}

/** With SQLite and all else as it comes: it writes an activity and a revision beside each item. */
export function directus(folder: string): Peer {
  const place = join(folder, 'directus')
  const items = '/items/listing'
  const token = 'a'.repeat(32)
  const headers = { ...json, authorization: `Bearer ${token}` }
  const cli = join(place, 'node_modules/directus/cli.js')
  const env = {
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(place, 'data.db'),
    CONFIG_PATH: join(place, 'none.env'),
    EXTENSIONS_PATH: join(place, 'extensions'),
    STORAGE_LOCAL_ROOT: join(place, 'uploads'),
    SECRET: token,
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: token,
    ADMIN_TOKEN: token,
    HOST: '127.0.0.1',
    TELEMETRY: 'false',
  }
  const serve = async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    return { url, ...(await startNode([cli, 'start'], { ...env, PORT: `${port}` }, `${url}/server/ping`)) }
  }
  return {
    // 12.4.1 names a version of @directus/app that npm did not have on the day of writing.
    name: 'Directus 12.4.0',
    async prepare() {
      await install(place, {
        dependencies: { directus: '12.4.0' },
        // Runs the scripts of flows, which nothing here uses. This one comes compiled for Node 24.
        overrides: { 'isolated-vm': '7.0.1' },
        allowScripts: { sqlite3: true },
      })
      rmSync(env.DB_FILENAME, { force: true })
      for (const needed of [env.EXTENSIONS_PATH, env.STORAGE_LOCAL_ROOT])
        mkdirSync(needed, { recursive: true })
      await runToEnd(process.execPath, [cli, 'bootstrap'], { cwd: place, env, timeout: START_MS })
      const { url, stop } = await serve()
      try {
        await post(`${url}/collections`, JSON.stringify(COLLECTION), headers)
        const filling = Array.from({ length: ITEMS }, (_, at) => itemAt(at))
        await post(url + items, JSON.stringify(filling), headers)
      } finally {
        await stop()
      }
    },
    async start() {
      const { url, pid, stop } = await serve()
      return {
        pid,
        stop,
        create: () => post(url + items, JSON.stringify(itemAt(++created)), headers),
        list: () => ask(`${url}${items}?limit=${LISTED}&sort=-id`, LISTED, headers),
      }
    },
  }
}

/** Keeps all in memory, and writes the whole file anew for each item, without waiting for the disk. */
export function jsonServer(folder: string): Peer {
  const place = join(folder, 'json-server')
  const file = join(place, 'db.json')
  return {
    name: 'json-server 0.17.4',
    async prepare() {
      await install(place, { dependencies: { 'json-server': '0.17.4' } })
      const listing = Array.from({ length: ITEMS }, (_, at) => ({ id: at + 1, ...itemAt(at) }))
      writeFileSync(file, JSON.stringify({ listing }))
    },
    async start() {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/listing`
      const args = [
        join(place, 'node_modules/json-server/lib/cli/bin.js'),
        '--host',
        '127.0.0.1',
        '--port',
        `${port}`,
        file,
      ]
      const server = await startNode(args, {}, `${url}/1`)
      return {
        ...server,
        create: () => post(url, JSON.stringify(itemAt(++created)), json),
        list: () => ask(`${url}?_page=1&_limit=${LISTED}&_sort=id&_order=desc`, LISTED),
      }
    },
  }
}

let created = ITEMS

/** What a published listing holds. */
const itemAt = (nth: number) => ({
  url: `http://peer-${nth}.com/`,
  title: 'Juniper Lane Bakery',
  description: 'Sourdough, seeded rye and cardamom buns.',
  category: 'Games',
})

const field = (name: string) => ({ field: name, type: 'string', schema: {}, meta: {} })
const COLLECTION = {
  collection: 'listing',
  schema: {},
  meta: {},
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true }, meta: {} },
    ...Object.keys(itemAt(0)).map(field),
  ],
}

async function post(address: string, body: string, headers: Record<string, string>): Promise<void> {
  await answerOf(address, { method: 'POST', headers, body })
}

/** @param count of items that the answer has to list */
async function ask(address: string, count?: number, headers: Record<string, string> = {}): Promise<void> {
  const text = await answerOf(address, { headers })
  if (count === undefined) return
  const answer = JSON.parse(text)
  const items = Array.isArray(answer) ? answer : (answer.data ?? answer.entries)
  if (items.length !== count) throw new Error(`${address} listed ${items.length} instead of ${count}`)
}

async function answerOf(address: string, request: RequestInit): Promise<string> {
  const response = await fetch(address, { ...request, signal: AbortSignal.timeout(ANSWER_MS) })
  const text = await response.text()
  if (response.ok) return text
  throw new Error(`${address} answered ${response.status}: ${text.slice(0, 200)}`)
}
