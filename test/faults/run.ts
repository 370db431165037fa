import '../../server/dist/node-version.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asynchronous, synchronous } from './failover.ts'
import { kills, quotas, slowDisk, wire } from './faults.ts'
import type { Outcome } from './instances.ts'

// npm run faults, or some of them: npm run faults -- history wire. docs/reliability.md says what each promises.

const FAULTS: Record<string, (folder: string) => Promise<Outcome>> = {
  history: quotas,
  wire,
  'kills-sqlite': folder => kills(folder, 'sqlite'),
  'kills-postgres': folder => kills(folder, 'postgres'),
  'slow-disk': slowDisk,
  failover: synchronous,
  'failover-asynchronous': asynchronous,
}

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
    for (const fault of faults) console.log(`        ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  } catch (error) {
    console.log(`BROKEN  ${name}: ${error instanceof Error ? error.stack : error}`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
