import { endConsole, printConsoleLink } from '../console/commands.ts'
import { asJson, type Command, checkName, needWord } from './command.ts'
import { withStore } from './with-store.ts'

export const consoleLink: Command = {
  name: 'console-link',
  usage: '[NAME]',
  does: 'print a link that opens the operator’s console once, within ten minutes',
  words: 1,
  options: ['json'],
  async run(given, word) {
    const name = checkName('NAME', word)
    await withStore((store, config) => printConsoleLink(store, config, name, asJson(given)))
  },
}

export const consoleEnd: Command = {
  name: 'console-end',
  usage: 'NAME',
  does: 'end all sessions of an operator in the console, and links not used yet',
  words: 1,
  options: ['json'],
  async run(given, word) {
    const name = checkName('NAME', needWord('console-end', 'the name of an operator', word))
    await withStore(store => endConsole(store, name, asJson(given)))
  },
}
