import pg from 'pg'
import { hostUrls } from '../config/postgres-url.ts'
import { databaseMoved } from '../lib/diagnostics.ts'

/** PostgreSQL's code for a write on a server that accepts none. */
const READ_ONLY = '25006'
/** For all hosts together. It leaves time to connect within the time that a pool allows. */
const SEARCH_MAX_MS = 4_000

interface Host {
  host: string
  port: number
}

const nameOf = ({ host, port }: Host) => `${host}:${port}`

/**
 * Creates the class of a process's connections. With `target_session_attrs=read-write`, each connection goes to the
 * first host that accepts writes. That host is kept until a connection to it fails, or until it refuses a write.
 */
export function clientsFor(databaseUrl: string): { Client: typeof pg.Client; connectionString: string } {
  const { urls, mustBeWritable } = hostUrls(databaseUrl)
  const [connectionString = databaseUrl] = urls
  if (!mustBeWritable) return { Client: pg.Client, connectionString }
  const servers = new Servers(urls)

  class WritableClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      connected.then(() => callback(null), callback)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const search = servers.find()
      Object.assign(this, await search)
      this.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code !== READ_ONLY) return
        servers.forget(search)
        this.connection.stream.destroy()
      })
      try {
        await super.connect()
        await refuseReadOnly(this)
      } catch (error) {
        servers.forget(search)
        throw error
      }
      servers.add(this)
      return this
    }
  }
  return { Client: WritableClient, connectionString }
}

/** Finds the server that accepts writes, for all connections of a process. */
class Servers {
  readonly #urls: readonly string[]
  readonly #open = new Set<pg.Client>()
  #search: Promise<Host> | undefined
  #last: string | undefined

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** @throws Error with the code of a read-only server if none accepts writes */
  find(): Promise<Host> {
    if (this.#search) return this.#search
    const search = this.#tryAll()
    this.#search = search
    search.catch(() => this.forget(search))
    return search
  }

  /** Has the next connection search again, if no other has done so since. */
  forget(search: Promise<Host>): void {
    if (this.#search === search) this.#search = undefined
  }

  add(client: pg.Client): void {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
  }

  async #tryAll(): Promise<Host> {
    const refusals: string[] = []
    for (const connectionString of this.#urls) {
      const connectionTimeoutMillis = Math.floor(SEARCH_MAX_MS / this.#urls.length)
      const probe = new pg.Client({ connectionString, connectionTimeoutMillis, query_timeout: connectionTimeoutMillis })
      probe.on('error', () => {})
      const found = { host: probe.host, port: probe.port }
      try {
        await probe.connect()
        await refuseReadOnly(probe)
        this.#moveTo(nameOf(found))
        return found
      } catch (error) {
        refusals.push(`${nameOf(found)}: ${(error as Error).message}`)
      } finally {
        probe.end().catch(() => {})
      }
    }
    throw notWritable(`no host of DATABASE_URL accepts writes (${refusals.join('; ')})`)
  }

  /** Leaves the old server: what it still answers may be out of date. */
  #moveTo(name: string): void {
    if (this.#last !== undefined && this.#last !== name) databaseMoved.publish({ from: this.#last, to: name })
    this.#last = name
    for (const client of this.#open) if (nameOf(client) !== name) client.connection.stream.destroy()
  }
}

async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'off') throw notWritable('the server accepts no writes')
}

const notWritable = (message: string) => Object.assign(new Error(message), { code: READ_ONLY })
