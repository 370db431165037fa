import { styleText } from 'node:util'
import type { Life } from './life.ts'
import type { Plan } from './plan.ts'

const LINKS_SHOWN = 3

/** Prints what was made and how to look at it. `place`: the settings that the service needs to find it. */
export function printSummary(
  { popular, payments }: Plan,
  { privateLinks }: Life,
  place: Readonly<Record<string, string>>,
): void {
  const settings = Object.keys(place).map(name => `${name}=${name === 'SERVICE_KEY' ? '…' : place[name]} `)
  const command = (text: string) => `  ${settings.join('')}npm ${text}`
  const kept = new Set(payments.filter(({ undone }) => !undone).map(({ website }) => website))
  const shown = popular.filter(website => kept.has(website)).slice(0, LINKS_SHOWN)
  console.log(
    [
      `The board is filled: ${privateLinks.size} listings, ${payments.length} payments, a month of views.\n`,
      command('start'),
      command('run placard -- list'),
      command('run placard -- reports'),
      command('run placard -- reconcile'),
      '\nThree private pages, once it is started:\n',
      ...shown.map(({ host }) => `  ${privateLinks.get(host)}`),
      styleText('dim', '\nAn agent hands such a link to its customer in private, and prints it nowhere.'),
      styleText('dim', 'The websites are made up: a link that leads out may lead to anybody.'),
    ].join('\n'),
  )
}
