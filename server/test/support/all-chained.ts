import { expect } from 'vitest'
import type { Store } from '../../src/platform/db/store.ts'

/** Waits for the service's own pass, which chains each second. */
export const allChained = (store: Store) =>
  expect
    .poll(async () => {
      const left = await store.db.selectFrom('decision').select('id').where('position', 'is', null).execute()
      return left.length
    })
    .toBe(0)
