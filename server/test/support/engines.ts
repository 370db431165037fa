import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { Env } from '../../src/settings.ts'
import type { Engine } from '../../src/storage/store.ts'
import { leavesOut, needs } from './tags.ts'

/** Store tests and HTTP tests run once per engine that the run has: in the fast one, SQLite only. */
export const ENGINES: readonly Engine[] = leavesOut('postgres') ? ['sqlite'] : ['sqlite', 'postgres']

export interface EmptyDatabase {
  /** The settings that lead to it. */
  env: Env
  dataDir: string
  remove(): Promise<void>
}

/** Creates an empty database for one test file or test, on the wanted engine. */
export async function emptyDatabase(engine: Engine): Promise<EmptyDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-test-'))
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') return { env: { DATA_DIR: dataDir }, dataDir, remove: async () => removeFolder() }

  needs('postgres')
  const server = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(server, `create database ${name}`)
  return {
    env: {
      DATA_DIR: dataDir,
      DATABASE_URL: `${server}/${name}`,
      SERVICE_KEY: randomBytes(32).toString('hex'),
    },
    dataDir,
    async remove() {
      removeFolder()
      await query(server, `drop database if exists ${name} with (force)`)
    },
  }
}

async function query(server: string, sql: string): Promise<void> {
  const client = new pg.Client(`${server}/postgres`)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
