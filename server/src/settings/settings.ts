import { BadSetting } from './bad-setting.ts'
import { FETCHING_SETTINGS } from './fetching.ts'
import { LIMITS_SETTINGS } from './limits.ts'
import { PAYMENTS_SETTINGS } from './payments.ts'
import { PURGING_SETTINGS } from './purging.ts'
import { REVIEW_SETTINGS } from './review.ts'
import type { Row } from './row.ts'
import { SERVICE_SETTINGS } from './service.ts'
import { SITE_SETTINGS } from './site.ts'
import { TELLING_SETTINGS } from './telling.ts'
import { WATCHING_SETTINGS } from './watching.ts'

/** Every setting. The docs are generated from this table. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...FETCHING_SETTINGS,
  ...REVIEW_SETTINGS,
  ...LIMITS_SETTINGS,
  ...PAYMENTS_SETTINGS,
  ...PURGING_SETTINGS,
  ...SITE_SETTINGS,
  ...TELLING_SETTINGS,
  ...WATCHING_SETTINGS,
}

type Table = typeof SETTINGS
export type Setting = keyof Table
export type Env = Partial<Record<Setting, string>>

/** The parsed settings. */
export type Settings = {
  [S in Setting]: ReturnType<Table[S]['parse']> | (Table[S] extends { default: string } ? never : undefined)
}

const ROWS = Object.entries<Row>(SETTINGS) as [Setting, Row][]

/** Every setting, for docs and help. */
export const describeSettings = (): { name: Setting; fallback: string; meaning: string }[] =>
  ROWS.map(([name, row]) => ({
    name,
    fallback: 'default' in row ? row.default : row.unset,
    meaning: row.meaning,
  }))

/** Picks the settings from an environment. An empty value counts as unset, as in shells and compose files. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const [name] of ROWS) {
    const value = environment[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/** Parses each setting by itself. Pure. @throws BadSetting for the first bad one */
export const parseSettings = (env: Env): Settings =>
  Object.fromEntries(ROWS.map(([name, row]) => [name, parseSetting(name, row, env[name])])) as Settings

function parseSetting(name: Setting, row: Row, given: string | undefined): unknown {
  const value = given ?? ('default' in row ? row.default : undefined)
  if (value === undefined) return undefined
  try {
    return row.parse(value)
  } catch (error) {
    throw new BadSetting(name, (error as Error).message)
  }
}
