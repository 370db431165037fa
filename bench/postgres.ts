import { randomBytes } from 'node:crypto'
import pg from 'pg'
import setup from '../server/test/support/postgres.ts'

/** The benchmark's own PostgreSQL server. Like the tests', it does not sync the disk. */
export interface Postgres {
  /** Creates an empty database. @returns the settings for it */
  database(name: string): Promise<{ DATABASE_URL: string; SERVICE_KEY: string }>
  stop(): Promise<void>
}

/** Starts the PostgreSQL of the tests. */
export async function startPostgres(): Promise<Postgres> {
  let server = ''
  const stop = await setup({
    provide: (_name: 'postgresUrl', url: string) => {
      server = url
    },
  })
  return {
    async database(name) {
      const client = new pg.Client(`${server}/postgres`)
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return { DATABASE_URL: `${server}/${name}`, SERVICE_KEY: randomBytes(32).toString('hex') }
    },
    stop: async () => stop?.(),
  }
}
