// @module-tag programs
// @module-tag slow
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { randomFrom } from '../../examples/seed/random.ts'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { openStore } from '../../server/src/platform/db/open.ts'
import { TRIES_ALL } from '../../server/test/support/runs.ts'
import { startTestService } from '../../server/test/support/service.ts'
import { ended, PIPED } from './fixtures.ts'
import { FAULTS, type Fault, type Run, startBadNetwork } from './storm.ts'

/**
 * Each fault once, or twice in `npm run test:both`. `STORM_RUNS=1000` runs the whole test. The same `STORM_SEED` repeats
 * a run, as far as processes can be repeated.
 */
const RUNS = Number(process.env.STORM_RUNS ?? (TRIES_ALL ? 2 : 1) * FAULTS.length)
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000)
const AT_ONCE = 4
const AGENT = fileURLToPath(new URL('./storm-process.ts', import.meta.url))
const LONGEST_KILL_MS = 700

test(`a storm of ${RUNS} runs lists nothing twice and loses no receipt`, {
  timeout: 60 * 60_000,
}, async () => {
  const random = randomFrom(`${SEED}`).next
  const folder = mkdtempSync(join(tmpdir(), 'placard-storm-'))
  // One file starts in a fraction of the time, and thousands are started.
  const program = join(folder, 'agent.mjs')
  await build({
    entryPoints: [AGENT],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  const service = await startTestService()
  const network = await startBadNetwork(service.url)

  /** Starts a process, and perhaps kills it. @returns what it printed */
  async function agent(run: Run, { kill = false, blocks = 'unlimited', patience = 'hurry' } = {}): Promise<string> {
    run.started++
    const args = [program, network.url, join(folder, `${run.host}.jsonl`), `http://${run.host}/`, patience]
    const child = spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, ...args], PIPED)
    const done = ended(child)
    if (kill) {
      await Promise.race([done, sleep(random() * LONGEST_KILL_MS)])
      if (child.exitCode === null && child.kill('SIGKILL')) run.killed++
    }
    const { stdout, stderr } = await done
    run.printed += stdout + stderr
    return stdout
  }

  async function ride(number: number): Promise<Run> {
    const fault = FAULTS[number % FAULTS.length] as Fault
    const run: Run = {
      host: `storm-${number}.com`,
      fault,
      started: 0,
      killed: 0,
      receipt: undefined,
      printed: '',
    }
    network.trouble.set(run.host, Array(1 + Math.floor(random() * 3)).fill(fault))
    for (let bad = 1 + Math.floor(random() * 3); bad > 0; bad--) {
      const kill = fault === 'restart in the middle' || random() < 0.5
      const blocks = fault === 'full disk before sending' ? '1' : 'unlimited'
      const together = fault === 'two processes at once' ? 2 : 1
      await Promise.all(
        Array.from({ length: together }, (_, index) => agent(run, { kill: kill && index === 0, blocks })),
      )
    }
    network.trouble.delete(run.host)
    // What was accepted in the meantime is replayed; what is under way at the service is waited for.
    for (let tries = 0; tries < 3 && !run.receipt; tries++) {
      const printed = JSON.parse(await agent(run, { patience: 'patient' }))
      if (printed.hasLink) run.receipt = printed.receipt
    }
    return run
  }

  const runs: Run[] = []
  let next = 0
  const startedMs = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < RUNS) runs.push(await ride(next++))
    }),
  )

  const store = await openStore(configFrom(service.database.env))
  const listings = await store.db.selectFrom('listing').select('slug').execute()
  const attempts = await store.db.selectFrom('attempt').select(['idempotencyKey', 'requestId', 'state']).execute()
  const secrets = runs.flatMap(({ host }) =>
    [...readFileSync(join(folder, `${host}.jsonl`), 'utf8').matchAll(/"secret":"(\w+)"|(#owner=[\w-]+)/g)].map(
      ([, secret, link]) => secret ?? link ?? '',
    ),
  )
  const printed = runs.map(run => run.printed).join('')
  const total = (count: (run: Run) => number) => runs.reduce((sum, run) => sum + count(run), 0)
  const figures = {
    runs: runs.length,
    seed: SEED,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    processes: total(run => run.started),
    killed: total(run => run.killed),
    doubleListings: listings.length - runs.length,
    secondKeys: runs.filter(({ host }) => network.keys.get(host)?.size !== 1).map(({ host }) => host),
    lostReceipts: runs.filter(({ receipt }) => !receipt).map(({ host, fault }) => `${host} ${fault}`),
    secretsPrinted: secrets.filter(secret => printed.includes(secret)).length,
  }
  console.log(`storm: ${JSON.stringify(figures)}`)
  expect(figures).toMatchObject({
    runs: RUNS,
    doubleListings: 0,
    secondKeys: [],
    lostReceipts: [],
    secretsPrinted: 0,
  })
  expect(secrets.length).toBeGreaterThanOrEqual(2 * RUNS)
  expect(figures.killed).toBeGreaterThan(0)
  // The receipt that each run ended with is that of its one attempt.
  expect(attempts.map(({ requestId, state }) => `${requestId} ${state}`).sort()).toEqual(
    runs.map(({ receipt }) => `${receipt?.requestId} published`).sort(),
  )
  await store.close()
  await network.stop()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
