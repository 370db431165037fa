import { readFileSync } from 'node:fs'

/** Where npx keeps what it installs for one command. */
const FOLDER = /^file:.*\/_npx\/[^/]+\//.exec(import.meta.url)?.[0]

/** The package that npx was given, such as `https://placard.example/client/placard-agent.tgz`. */
const given = packageGiven()

function packageGiven(): string | undefined {
  if (FOLDER === undefined) return undefined
  try {
    const { _npx } = JSON.parse(readFileSync(new URL('package.json', FOLDER), 'utf8'))
    const [only] = _npx.packages
    return typeof only === 'string' && /^[\w@:/.~+[\]-]+$/.test(only) ? only : undefined
  } catch {
    return undefined
  }
}

/** The words that run this program again: npx installs no command that would stay. */
export const PROGRAM: readonly string[] = given === undefined ? ['placard-agent'] : ['npx', '-y', given]

/** Returns a command of this program as it can be run here. */
export const runnable = (command: string): string => command.replace(/^placard-agent(?= |$)/, PROGRAM.join(' '))

/** The site that this program comes from, if npx got it from one. A person who runs its program trusts the site. */
export const OWN_SITE: string | undefined = /^(https?:\/\/[^/]+)\/client\/[^/]+\.tgz$/.exec(given ?? '')?.[1]
