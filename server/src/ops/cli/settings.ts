import type { Config } from '../../platform/config/config.ts'
import { hostAndPort } from '../../platform/config/old-names.ts'
import { describeSettings, type Env, readEnv } from '../../platform/config/settings.ts'
import { asJson, type Command } from './command.ts'
import { settingsOfService } from './with-store.ts'

export const settings: Command = {
  name: 'settings',
  does: 'list all settings in groups: value or default, where it comes from, what it means; for secrets only "set"',
  async run(values) {
    const env = readEnv()
    let config: Config | undefined
    let problem: unknown
    try {
      config = settingsOfService()
    } catch (error) {
      // Thrown after the list, because an operator with an invalid setting needs the list, too.
      problem = error
    }
    for (const { title, about, settings } of describeSettings()) {
      const rows = settings
        .map(setting => ({ ...setting, ...present(setting, env, config) }))
        .filter(({ group, from }) => group !== 'old' || from !== 'default')
      if (asJson(values)) for (const row of rows) console.log(toJson(row))
      else if (rows.length > 0) console.log(`${title}. ${about}\n\n${rows.map(toText).join('\n')}\n`)
    }
    if (problem !== undefined) throw problem
  },
}

type Described = ReturnType<typeof describeSettings>[number]['settings'][number]

/** Returns the value in force, and its origin. Without a configuration, only values from the environment are known. */
function present({ name, fallback, isSecret }: Described, env: Env, config: Config | undefined) {
  const text = env[name]
  if (text !== undefined) return { value: isSecret ? 'set' : text, from: 'environment' }
  const derived = config && derivedFrom(config)[name]
  if (derived !== undefined && derived !== fallback) return { value: derived, from: 'other settings' }
  return { value: fallback, from: 'default' }
}

/** Settings that follow from others if they are not set. */
const derivedFrom = ({ payments, metrics, reviewing: { dnsFilter } }: Config): Env => ({
  PAYMENTS: payments,
  DNS_FILTER: `${dnsFilter.filtering},${dnsFilter.plain}`,
  ...(metrics && { METRICS_LISTEN: hostAndPort(metrics) }),
})

type Shown = Described & ReturnType<typeof present>

const toJson = ({ name, group, value, from, fallback, meaning }: Shown): string =>
  JSON.stringify({ name, group, value, from, default: fallback, meaning })

/** Writes links to docs as paths, and other links as URLs. */
const toText = ({ name, value, from, meaning }: Shown): string =>
  `  ${name}  ${value}  (${from})\n      ${meaning.replaceAll(LINK, (_, text: string, to: string) =>
    to.startsWith('https:') ? `${text} (${to})` : `docs/${to}`,
  )}`

const LINK = /\[([^\][]*)\]\(([^()[\]]*)\)/g
