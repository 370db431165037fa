import { randomBytes } from 'node:crypto'
import pg from 'pg'
import setup from '../server/test/support/postgres.ts'

/** A PostgreSQL server of the benchmark's own: without syncing the disk, as the tests have it. */
export interface Postgres {
  /** Makes an empty database. @returns the settings that lead to it */
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
