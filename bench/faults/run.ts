import '../../server/dist/node-version.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clockSteps } from './clock-steps.ts'
import { cutWire } from './cut-wire.ts'
import { kills } from './kills.ts'
import { oldBackup } from './old-backup.ts'
import type { Outcome } from './outcome.ts'
import { restarts } from './restarts.ts'
import { slowDisk } from './slow-disk.ts'
import { stopped } from './stopped.ts'
import { twoInstances } from './two-instances.ts'

// npm run faults, or parts of it: npm run faults -- kills clock. docs/reliability.md says what each promises.

const FAULTS: Record<string, (folder: string) => Promise<Outcome>> = {
  'kills-sqlite': folder => kills(folder, 'sqlite'),
  'kills-postgres': folder => kills(folder, 'postgres'),
  wire: cutWire,
  history: twoInstances,
  stopped,
  clock: clockSteps,
  'old-backup': oldBackup,
  'slow-disk': slowDisk,
  restarts,
}
const SHOWN_MAX = 10

const names = process.argv.slice(2)
const chosen = Object.entries(FAULTS).filter(([name]) => names.length === 0 || names.includes(name))
if (chosen.length < names.length) {
  console.error(`There are only ${Object.keys(FAULTS).join(', ')}.`)
  process.exitCode = 1
}
for (const [name, show] of chosen) {
  const folder = mkdtempSync(join(tmpdir(), `placard-${name}-`))
  const startedAt = performance.now()
  try {
    const { figures, faults } = await show(folder)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    console.log(`${faults.length === 0 ? 'kept  ' : 'BROKEN'}  ${name}, ${seconds} s: ${figures}`)
    for (const fault of faults.slice(0, SHOWN_MAX)) console.log(`        ${fault}`)
    if (faults.length > SHOWN_MAX) console.log(`        and ${faults.length - SHOWN_MAX} more`)
    if (faults.length > 0) process.exitCode = 1
  } catch (error) {
    console.log(`BROKEN  ${name}: ${error instanceof Error ? error.stack : error}`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
