import { editDistance } from '@placard/contract'
import { SETTINGS, type Setting } from './settings.ts'

/** One line for each variable that looks like a misspelt setting, naming the setting probably meant. */
export const misspeltSettings = (environment: NodeJS.ProcessEnv): string[] =>
  Object.keys(environment).flatMap(name => {
    const setting = environment[name]?.trim() ? suggestSetting(name) : undefined
    // If that setting is set too, the variable is somebody else's.
    return setting === undefined || environment[setting]?.trim()
      ? []
      : [`${name} is not a setting. Did you mean ${setting}?`]
  })

/**
 * The setting that a variable probably misspells, or undefined: a typo, another case, missing underscores or last
 * words. Reads only names, since values may be secret.
 */
export function suggestSetting(name: string): Setting | undefined {
  if (Object.hasOwn(SETTINGS, name)) return undefined
  const settings = Object.keys(SETTINGS) as Setting[]
  const near = settings
    .map(setting => ({ setting, edits: edits(letters(name), letters(setting)) }))
    .filter(({ setting, edits }) => edits <= editsAllowed(setting))
    .sort((one, other) => one.edits - other.edits)[0]?.setting
  return near ?? settings.find(setting => beginsWithWords(setting, name))
}

const letters = (name: string) => name.toUpperCase().replaceAll('_', '')

/** None in a short name: `POST` and `GHOST` are different words. */
const editsAllowed = (setting: Setting) => Math.min(2, Math.floor(letters(setting).length / 6))

const edits = (from: string, to: string) =>
  Math.abs(from.length - to.length) > 2 ? Number.POSITIVE_INFINITY : editDistance(from, to)

/** At least two words: `DATA` and `BASE` may be anybody's. */
const beginsWithWords = (setting: Setting, name: string) =>
  name.includes('_') && setting.startsWith(`${name.toUpperCase()}_`)
