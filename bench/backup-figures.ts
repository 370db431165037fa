import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DISPLAY_DAYS } from '@placard/contract'
import Sqlite from 'better-sqlite3'
import { heading, noise, ratios, report } from './compare.ts'
import { fillListings } from './fill-listings.ts'
import { WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'
import { SteadyPublishes } from './steady.ts'

const PER_SECOND = 200
const ROUNDS = 3
const ROOT = new URL('..', import.meta.url)
/** The copy takes as long as it takes; without one, as long as the last, up to a bound. */
const FIRST_SECONDS = 10
const SECONDS_MAX = 20

/** What a backup costs those who publish meanwhile: how long a publish takes beside it, and without. */
export async function backupFigures(folder: string, count: number): Promise<void> {
  heading(
    `Publishing ${PER_SECOND} a second on SQLite while ${count.toLocaleString('en')} listings are backed up, p99 against without`,
  )
  const dataDir = join(folder, 'data')
  await fillListings(dataDir, count)
  takeMoneyAway(join(dataDir, 'placard.db'))
  const env = { DATA_DIR: dataDir, SERVICE_KEY: '5e'.repeat(32) }
  const server = await startServer('placard', [], { ...WIDE_ENV, ...env })
  const publishes = new SteadyPublishes(PER_SECOND)
  const measured = { without: [] as number[], during: [] as number[], seconds: [] as number[] }
  try {
    await publishes.during(server.url, () => sleep(2000))
    for (let round = 0; round < ROUNDS; round++) {
      const seconds = Math.min(measured.seconds.at(-1) ?? FIRST_SECONDS, SECONDS_MAX)
      const without = await publishes.during(server.url, () => sleep(seconds * 1000))
      const startedAt = performance.now()
      const during = await publishes.during(server.url, () => backUp(env, join(folder, 'backup')))
      measured.seconds.push((performance.now() - startedAt) / 1000)
      measured.without.push(without.p99Ms)
      measured.during.push(during.p99Ms)
    }
    report('p99 during a backup / without', ratios(measured.during, measured.without), { atMost: 1.5 })
    report('p99 without, in ms', measured.without, undefined)
    report('seconds for a backup with its checks', measured.seconds, undefined)
    console.log(`    ${noise(measured.without)}`)
  } finally {
    publishes.close()
    await server.stop()
  }
}

/** Runs the operator's command, and takes the copy away again. */
async function backUp(env: Record<string, string>, folder: string): Promise<void> {
  const child = spawn(process.execPath, ['server/bundled/placard.js', 'backup', folder], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`the backup ended with ${code}`)
  rmSync(folder, { recursive: true })
}

/** The listings were paid without events, which the check of a backup would find. */
function takeMoneyAway(file: string): void {
  const db = new Sqlite(file)
  db.exec(`
    delete from board_total;
    delete from board_count;
    update listing set expiresAt = publishedAt + ${DISPLAY_DAYS * 24 * 60 * 60 * 1000} where expiresAt is null;
  `)
  db.close()
}
