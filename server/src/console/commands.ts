import type { Config } from '../config.ts'
import { Links } from '../http/links.ts'
import type { Store } from '../storage/store.ts'
import { utcMinute } from '../time.ts'
import { endAllOf, LINK_LIFETIME_MS, makeConsoleLink } from './entry.ts'

/** Where a link is opened. */
export const ENTER_PATH = '/console/enter'

/** Prints a link that opens the console once. */
export async function printConsoleLink(
  store: Store,
  config: Config,
  name: string,
  asJson: boolean,
): Promise<void> {
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  const now = Date.now()
  const endsAt = now + LINK_LIFETIME_MS
  const link = `${links.base}${ENTER_PATH}/${await makeConsoleLink(store, name, now)}`
  if (asJson) return void console.log(JSON.stringify({ link, name, endsAt }))
  console.log(link)
  console.log(
    `It opens the console once, for ${name}, until ${utcMinute(endsAt)} UTC. Give it to nobody else.`,
  )
}

/** Ends all sessions of an operator, and the links not used yet. */
export async function endConsole(store: Store, name: string, asJson: boolean): Promise<void> {
  const { sessions, links } = await endAllOf(store, name, Date.now())
  if (asJson) return void console.log(JSON.stringify({ name, sessions, links }))
  console.log(`Ended for ${name}: ${counted(sessions, 'session')}, ${counted(links, 'unused link')}.`)
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
