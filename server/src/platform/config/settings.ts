import { editDistance } from '@placard/contract'
import { FETCHING_SETTINGS, LIMITS_SETTINGS } from './limits.ts'
import { CDN_SETTINGS, LOG_SETTINGS, NOTIFICATION_SETTINGS, PAYMENTS_SETTINGS } from './outside-services.ts'
import { REVIEW_SETTINGS } from './review.ts'
import { BadSetting, GROUPS, type Parsed, type Row } from './row.ts'
import { MONITORING_SETTINGS, SERVICE_SETTINGS, SITE_SETTINGS } from './service.ts'
import { STORAGE_SETTINGS } from './storage.ts'

/** Every setting. The docs are generated from this table. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...FETCHING_SETTINGS,
  ...REVIEW_SETTINGS,
  ...LIMITS_SETTINGS,
  ...PAYMENTS_SETTINGS,
  ...CDN_SETTINGS,
  ...LOG_SETTINGS,
  ...SITE_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  ...STORAGE_SETTINGS,
  ...MONITORING_SETTINGS,
}

export type Setting = keyof typeof SETTINGS
export type Env = Partial<Record<Setting, string>>

export type Settings = Parsed<typeof SETTINGS>

const ROWS = Object.entries<Row>(SETTINGS) as [Setting, Row][]

/** Returns every setting by group, for docs and help. Its `fallback` is the default, or what it means to leave it unset. */
export const describeSettings = () =>
  Object.entries(GROUPS).map(([group, words]) => ({
    ...words,
    settings: ROWS.filter(([, row]) => row.group === group).map(([name, row]) => ({
      ...row,
      name,
      fallback: 'default' in row ? row.default : (row.unset ?? 'none'),
    })),
  }))

/** Returns the settings of an environment. An empty value counts as unset, as in shells and compose files. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const [name] of ROWS) {
    const value = environment[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/** Parses each setting alone. Pure. @throws BadSetting for the first invalid one */
export const parseSettings = (env: Env): Settings =>
  Object.fromEntries(ROWS.map(([name, row]) => [name, parseSetting(name, row, env[name])])) as Settings

function parseSetting(name: Setting, row: Row, given: string | undefined): unknown {
  const value = given ?? ('default' in row ? row.default : undefined)
  if (value === undefined) return undefined
  try {
    // Shells, systemd and Compose remove quotes, and `docker run --env-file` keeps them.
    if (/^("[^"]*"|'[^']*')$/.test(value)) throw new Error('must not have quotes around it: remove them')
    return row.parse(value)
  } catch (error) {
    throw new BadSetting(name, (error as Error).message)
  }
}

/** Returns one line for each variable that looks like a misspelt setting, with the setting that is probably meant. */
export const misspeltSettings = (environment: NodeJS.ProcessEnv): string[] =>
  Object.keys(environment).flatMap(name => {
    const setting = environment[name]?.trim() ? suggestSetting(name) : undefined
    // If that setting is set, too, the variable belongs to another program.
    return setting === undefined || environment[setting]?.trim()
      ? []
      : [`${name} is not a setting. Did you mean ${setting}?`]
  })

/**
 * Returns the setting that a variable probably misspells, or undefined. It finds typos, another case, and missing
 * underscores or last words. It reads only names, because values may be secret.
 */
export function suggestSetting(name: string): Setting | undefined {
  if (Object.hasOwn(SETTINGS, name)) return undefined
  const bare = name.replace(/^PLACARD_/, '')
  // Kubernetes sets PLACARD_PORT itself for a service that is called placard.
  if (Object.hasOwn(SETTINGS, bare) && bare !== 'PORT') return bare as Setting
  const given = letters(name)
  const near = SPELLINGS.map(({ setting, spelling }) => ({
    setting,
    edits: editDistance(given, spelling, EDITS_MAX),
    allowed: editsAllowed(spelling),
  }))
    .filter(({ edits, allowed }) => edits <= allowed)
    .sort((one, other) => one.edits - other.edits)[0]?.setting
  return near ?? SPELLINGS.find(({ setting }) => beginsWithWords(setting, name))?.setting
}

const letters = (name: string) => name.toUpperCase().replaceAll('_', '')

const SPELLINGS = ROWS.map(([setting]) => ({ setting, spelling: letters(setting) }))

const EDITS_MAX = 2

/** Short names allow no edits: `POST` and `GHOST` are different words. */
const editsAllowed = (spelling: string) => Math.min(EDITS_MAX, Math.floor(spelling.length / 6))

/** At least two words: `DATA` and `BASE` may belong to other programs. */
const beginsWithWords = (setting: Setting, name: string) =>
  name.includes('_') && setting.startsWith(`${name.toUpperCase()}_`)
