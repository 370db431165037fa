import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chainDecisions } from '../../server/dist/ops/jobs/chain-decisions.js'
import { History } from './history.ts'
import { type Env, type Instances, startInstances } from './instances.ts'
import { Money } from './money.ts'
import type { Outcome } from './outcome.ts'
import { proofOf } from './proof.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAYMENTS = 40

/**
 * Restores an old backup beside the store that went on: what was there replays, with keys that were changed since; what came
 * later is accepted anew; payments are right once their events come again; and the chain of decisions says that it is older.
 */
export async function oldBackup(folder: string): Promise<Outcome> {
  const before = new History('before')
  const since = new History('since')
  const money = new Money()
  const faults: string[] = []
  const expect = (is: boolean, fault: string) => void (is || faults.push(fault))

  const live = await startInstances(join(folder, 'live'), 1, {})
  const backup = join(folder, 'backup')
  let head = ''
  try {
    const [url = ''] = live.urls
    await live.withStore(store => money.open(store, PAYMENTS))
    await publish(before, 20, url)
    for (let event = 0; event < PAYMENTS; event++) await money.deliverNext(url)
    expect((await placard(live.env, 'backup', backup)).code === 0, 'no backup was made')
    await placard(live.env, 'change-key')
    await live.killAndStart(0)
    await publish(since, 20, url)
    await money.deliverRest(url)
    faults.push(
      ...(await live.withStore(async store => {
        // The service does it every second, and may not have yet.
        await chainDecisions(store, Date.now)
        return money.faults(store)
      })),
    )
    const proved = await placard(live.env, 'audit', 'verify')
    head = /\b[0-9a-f]{64}\b/.exec(proved.output)?.[0] ?? ''
  } finally {
    await live.stop()
  }

  const dataDir = join(folder, 'restored', 'data')
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(join(live.env.DATA_DIR ?? '', 'service.key'), join(dataDir, 'service.key'))
  const restoring = await placard({ ...live.env, DATA_DIR: dataDir }, 'restore-backup', backup)
  expect(restoring.code === 0, `restore-backup: ${restoring.output}`)
  expect(
    /a backup of \d{4}-.*Changes made after the backup are missing/s.test(restoring.output),
    restoring.output,
  )
  const doctor = await placard({ ...live.env, DATA_DIR: dataDir }, 'doctor')
  const restored: Instances = await startInstances(join(folder, 'restored'), 1, {})
  const again = new History('since')
  try {
    const [url = ''] = restored.urls
    await before.settle([url])
    faults.push(...before.faults())
    // The same submissions, which this store has never heard of.
    again.submissions.push(...since.submissions.map(each => ({ ...each, answers: [] })))
    await again.settle([url])
    const linkOf = (text = '{}') => JSON.parse(text).ownership?.privateRecoveryUrl
    const differ = again.submissions.filter(
      ({ answers }, n) => linkOf(answers[0]?.text) !== linkOf(since.submissions[n]?.answers[0]?.text),
    )
    expect(
      again.submissions.every(({ answers }) => answers[0]?.status === 201),
      'something of later replayed',
    )
    expect(differ.length === since.submissions.length, 'a later private link is the same')
    const older = await placard({ ...live.env, DATA_DIR: dataDir }, 'audit', 'verify', '--head', head)
    expect(head !== '' && older.code === 1, `audit verify took the later head: ${older.output}`)
    for (let event = 0; event < 2 * PAYMENTS; event++) await money.deliverNext(url)
    await restored.all[0]?.stop()
    const both = Object.assign(new History('both'), {
      submissions: [...before.submissions, ...again.submissions],
    })
    faults.push(...(await restored.withStore(store => proofOf(store, { history: both, money }))))
  } finally {
    await restored.stop()
  }
  return {
    figures: `${before.published()} receipts replayed after the key changed; ${again.published()} newer requests were published again, with new links; ${2 * PAYMENTS} events counted once; the audit refused the later head; doctor exited with ${doctor.code}`,
    faults,
  }
}

async function publish(history: History, count: number, url: string): Promise<void> {
  for (let n = 0; n < count; n++) await history.send(url, history.submission())
}

/** Runs the operator's command. */
function placard(env: Env, ...words: string[]): Promise<{ code: number; output: string }> {
  const args = ['server/bundled/placard.js', ...words]
  return new Promise(resolve =>
    execFile(
      process.execPath,
      args,
      { cwd: ROOT, env: { PATH: process.env.PATH, ...env } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), output: out + err }),
    ),
  )
}
