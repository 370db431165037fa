// Decides and writes the log at once, as fast as it can, until it is killed.
import { recordDecisions } from '../../../src/domain/decisions/record.ts'
import { appendEntries } from '../../../src/domain/log/append.ts'
import { noteEffects } from '../../../src/domain/log/outbox.ts'
import { openStore, type StoreSettings } from '../../../src/platform/db/open.ts'

const store = await openStore(JSON.parse(process.argv[2] ?? '') as StoreSettings)
const writer = { clock: Date.now, begins: () => ({ origin: 'placard.test/log', vkey: 'test' }) }
const decision = { kind: 'block', ground: 'rules/operator', reason: 'test', facts: {}, actor: 'operator:Ada' } as const
console.log('began')

async function decide(): Promise<void> {
  for (;;) {
    const at = Date.now()
    await store.transact(async trx => {
      await recordDecisions(trx, Array(20).fill({ ...decision, at }))
      await noteEffects(trx, [{ kind: 'key', at, extra: { vkey: 'another' } }])
    })
  }
}

async function write(): Promise<void> {
  for (;;) await appendEntries(store, writer)
}

await Promise.all([decide(), write(), write()])
