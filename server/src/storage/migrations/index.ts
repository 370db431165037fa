import type { Migration } from 'kysely/migration'
import type { Engine } from '../store.ts'
import * as publish from './0001-publish.ts'
import * as payments from './0002-payments.ts'
import * as directory from './0003-directory.ts'
import * as search from './0004-search.ts'
import * as refunds from './0005-refunds-and-modes.ts'
import * as serviceKeys from './0005-service-keys.ts'
import * as retention from './0006-retention.ts'
import * as foldedKeys from './0007-folded-keys.ts'

/** Numbered migrations, run in this order at every start. A landed one is never edited: add the next number. */
export const migrations = (engine: Engine): Record<string, Migration> => ({
  '0001-publish': { up: db => publish.up(db, engine) },
  '0002-payments': { up: db => payments.up(db, engine) },
  '0003-directory': { up: db => directory.up(db, engine) },
  '0004-search': { up: db => search.up(db, engine) },
  '0005-refunds-and-modes': { up: refunds.up },
  '0005-service-keys': { up: db => serviceKeys.up(db, engine) },
  '0006-retention': { up: db => retention.up(db) },
  '0007-folded-keys': { up: foldedKeys.up },
})
