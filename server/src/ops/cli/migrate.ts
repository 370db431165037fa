import { migrate, type Plan, planMigration } from '../../platform/db/migrate.ts'
import { MIGRATIONS } from '../../platform/db/migrations/index.ts'
import { openUnmigrated, orClose } from '../../platform/db/open.ts'
import { counted } from '../../platform/lib/text.ts'
import type { Command } from './command.ts'
import { refuseNoDatabase, settingsOfService } from './with-store.ts'

/** Exit codes of `--check`, for scripts. */
const MAY_GO_ON = 3
const MUST_STOP = 4

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--check]',
  does: 'migrate the database, as Placard does when it starts; --check: only list pending migrations (exit code 3, or 4 if older instances must stop first)',
  options: ['check'],
  async run({ check: isCheck = false, json: isJson = false }) {
    const config = settingsOfService()
    refuseNoDatabase(config)
    await using store = openUnmigrated(config)
    const show = (plan: Plan, lines: string[]) => console.log(isJson ? JSON.stringify(plan) : lines.join('\n'))
    const plan = await orClose(store, 'used', planMigration(store))
    if (isCheck || plan.due.length === 0) {
      show(plan, [...describe(plan), ...advise(plan)])
      if (plan.due.length > 0) process.exitCode = plan.mayGoOn ? MAY_GO_ON : MUST_STOP
      return
    }
    await migrate(store, MIGRATIONS)
    show(plan, [...describe(plan), `Done: the database has schema ${plan.newest}.`])
  },
}

function describe({ schema, newest, due }: Plan): string[] {
  if (due.length > 0) {
    const lines = due.map(({ name, kind, rows }) => `${name}  ${kind.padEnd(9)}  ${describeRows(rows)}`)
    return [`The database has schema ${schema ?? 'none'}, and this version needs schema ${newest}.`, ...lines]
  }
  return schema === newest
    ? [`The database is up to date: it has schema ${schema}.`]
    : [`A newer version has migrated the database to schema ${schema}. This version can still use it.`]
}

const describeRows = (rows: Record<string, number>): string =>
  Object.entries(rows)
    .map(([table, count]) => `${table}: ${counted(count, 'row')}`)
    .join(', ') || 'no rows'

function advise({ schema, due, oldest, mayGoOn }: Plan): string[] {
  if (due.length === 0 || schema === undefined) return []
  return [
    mayGoOn
      ? 'You can replace running instances one at a time.'
      : `Stop every instance first: after the migration, only Placard ${oldest?.version} and later can use the database.`,
    'Make a backup first. docs/backup-and-upgrade.md explains how, and how to go back.',
  ]
}
