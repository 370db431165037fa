import { ENTER_PATH, endAllOf, LINK_LIFETIME_MS, makeConsoleLink } from '../../domain/moderation/console/sessions.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { asJson, type Command, checkName, linksOf, needWord, withStore } from './command.ts'

export const consoleLink: Command = {
  name: 'console-link',
  usage: '[NAME]',
  does: 'print a link that opens the operator’s console once, within ten minutes',
  words: 1,
  async run(given, word) {
    const name = checkName('NAME', word)
    await withStore((store, config) => printConsoleLink(store, config, name, asJson(given)))
  },
}

export const consoleEnd: Command = {
  name: 'console-end',
  usage: 'NAME',
  does: "end an operator's console sessions and unused links",
  words: 1,
  async run(given, word) {
    const name = checkName('NAME', needWord('console-end', 'the name of an operator', word))
    await withStore(store => endConsole(store, name, asJson(given)))
  },
}

async function printConsoleLink(store: Store, config: Config, name: string, asJson: boolean): Promise<void> {
  const links = linksOf(config)
  const now = Date.now()
  const endsAt = now + LINK_LIFETIME_MS
  const link = `${links.base}${ENTER_PATH}/${await makeConsoleLink(store, name, now)}`
  if (asJson) return void console.log(JSON.stringify({ link, name, endsAt }))
  console.log(link)
  console.log(
    `It opens the console once, for ${name}, until ${utcMinute(endsAt)} UTC. Anyone with this link can sign in: treat it like a password.`,
  )
}

async function endConsole(store: Store, name: string, asJson: boolean): Promise<void> {
  const { sessions, links } = await endAllOf(store, name, Date.now())
  if (asJson) return void console.log(JSON.stringify({ name, sessions, links }))
  console.log(`Ended for ${name}: ${counted(sessions, 'session')}, ${counted(links, 'unused link')}.`)
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
