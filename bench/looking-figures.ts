import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { heading, inSeconds, noise, ratios, report } from './compare.ts'
import type { FilledListings } from './fill-listings.ts'
import { WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'
import { SteadyPublishes } from './steady.ts'

const PER_SECOND = 50
const ROUNDS = 6
/** Shorter than a lease of background work, so that who is stopped keeps it. */
const SLICE_SECONDS = 6

/** What looking again at all listings costs those who publish meanwhile. */
export async function lookingFigures(folder: string, { dataDir, count }: FilledListings): Promise<void> {
  heading(
    `Publishing ${PER_SECOND} a second on SQLite while ${count.toLocaleString('en')} listings are looked at again, p99 against without`,
  )
  const sites = await startServer('sites', [])
  const env = (name: string, looks: number) => {
    const copy = join(folder, name)
    cpSync(dataDir, copy, { recursive: true })
    makeDue(join(copy, 'placard.db'))
    const settings = { DATA_DIR: copy, SERVICE_KEY: '5e'.repeat(32), LOOKS_PER_HOUR: `${looks}` }
    return { ...WIDE_ENV, ...settings, FETCH_CONNECT_TO: sites.url }
  }
  const still = await startServer('placard', [], env('still', 0))
  const looking = await startServer('placard', [], env('looking', 100_000))
  const looked = new Sqlite(join(folder, 'looking', 'placard.db'), { readonly: true })
  const countLooked = () =>
    (looked.prepare('select count(*) as n from seen_page where lookedAt > 0').get() as { n: number }).n
  const publishes = new SteadyPublishes(PER_SECOND)
  const slice = async (url: string) => (await publishes.during(url, () => sleep(SLICE_SECONDS * 1000))).p99Ms
  const [without, during]: [number[], number[]] = [[], []]
  let seconds = 0
  try {
    await slice(still.url)
    await slice(looking.url)
    const before = countLooked()
    for (let round = 0; round < ROUNDS; round++) {
      looking.signal('SIGSTOP')
      without.push(await slice(still.url))
      looking.signal('SIGCONT')
      const startedAt = performance.now()
      during.push(await slice(looking.url))
      seconds += (performance.now() - startedAt) / 1000
    }
    const looks = countLooked() - before
    if (looks === 0) throw new Error('nothing was looked at: the figures say nothing')
    report('p99 while looking / without', ratios(during, without), { atMost: 1.2 })
    report('p99 without, in ms', without, undefined)
    console.log(`    ${inSeconds(looks / seconds)} looks meanwhile; ${noise(without)}`)
  } finally {
    looking.signal('SIGCONT')
    looked.close()
    publishes.close()
    await Promise.all([still.stop(), looking.stop()])
    await sites.stop()
  }
}

/** As if every page had last been looked at long ago. */
function makeDue(file: string): void {
  const db = new Sqlite(file)
  db.exec('insert into seen_page (listingId, lookAt) select id, id from listing')
  db.close()
}
