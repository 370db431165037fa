import type { Migration } from 'kysely/migration'
import type { Engine } from '../store.ts'
import { ledger } from './0001/ledger.ts'
import { publishing } from './0001/publishing.ts'
import { site } from './0001/site.ts'
import { betterSearch } from './0002.ts'
import { notices } from './0003.ts'
import { allowances } from './0004.ts'
import { fewerWrites } from './0005.ts'
import { decisions } from './0006.ts'
import { continuity } from './0007.ts'
import { operatorConsole } from './0008.ts'
import { telling } from './0009.ts'
import { jobs } from './0011.ts'
import { operatorActs } from './0012.ts'

/**
 * Numbered migrations, run in this order at every start. Never edit a released one: add the next number. None imports
 * the service's code, which keeps changing.
 */
export const migrations = (engine: Engine): Record<string, Migration> => ({
  '0001': {
    async up(db) {
      await publishing(db, engine)
      await ledger(db, engine)
      await site(db, engine)
    },
  },
  '0002': {
    up: db => betterSearch(db, engine),
  },
  '0003': { up: db => notices(db, engine) },
  '0004': { up: db => allowances(db, engine) },
  '0005': { up: db => fewerWrites(db, engine) },
  '0006': { up: db => decisions(db, engine) },
  '0007': { up: db => continuity(db, engine) },
  '0008': { up: db => operatorConsole(db, engine) },
  '0009': { up: db => telling(db, engine) },
  '0011': { up: db => jobs(db, engine) },
  '0012': { up: db => operatorActs(db, engine) },
})
