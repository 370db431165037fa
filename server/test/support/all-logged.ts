import { checkpointText, joinNote, signerOf } from '@placard/contract/log'
import { expect, vi } from 'vitest'
import { appendEntries } from '../../src/domain/log/append.ts'
import { noteEffects } from '../../src/domain/log/outbox.ts'
import { logTree } from '../../src/domain/log/tree-of-store.ts'
import type { Store } from '../../src/platform/db/store.ts'

/** Waits for the service's own pass, which runs each second. */
export const allLogged = (store: Store) =>
  expect
    .poll(async () => {
      const left = await store.db.selectFrom('decision').select('id').where('position', 'is', null).execute()
      const effects = await store.db.selectFrom('log_outbox').select('id').execute()
      return left.length + effects.length
    })
    .toBe(0)

/** A key that tests sign checkpoints with, once the log has announced it. */
export const LOG_SIGNER = signerOf('placard.test/log', Buffer.alloc(32, 7))

/** Runs the pass here. @returns how many entries it added */
export const logNow = (store: Store, clock: () => number = Date.now, options: { underWayMs?: number } = {}) =>
  appendEntries(store, { clock, begins: () => ({ origin: LOG_SIGNER.name, vkey: LOG_SIGNER.vkey }) }, options)

/** Waits until the service has begun its log: with this key in the first entry, it would announce its own. */
export async function announceKey(store: Store): Promise<void> {
  await vi.waitFor(() => store.db.selectFrom('log_head').select('size').executeTakeFirstOrThrow(), 300_000)
  const key = { kind: 'key', at: Date.now(), extra: { vkey: LOG_SIGNER.vkey } }
  await store.transact(trx => noteEffects(trx, [key]))
  await logNow(store)
}

/** Returns a signed checkpoint. */
export function signCheckpoint(size: number, root: Buffer, by = LOG_SIGNER, origin = LOG_SIGNER.name): string {
  const text = checkpointText({ origin, size, root })
  return joinNote(text, [by.sign(text)])
}

/** Returns a signed checkpoint of the log as it is. */
export async function checkpointNow(store: Store): Promise<string> {
  const tree = logTree(store)
  const size = await tree.size()
  return signCheckpoint(size, await tree.rootAt(size))
}
