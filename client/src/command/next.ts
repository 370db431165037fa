import { suggestCategory } from '@placard/contract/plain'
import type { PlacardError } from '../error.ts'
import { shellWord } from '../service/text.ts'
import { guessArguments } from './arguments.ts'

/**
 * Returns the command to run after an error: the same one, corrected if needed, or one that helps. Returns undefined
 * while a person must act first. A program that runs every next command must not repeat one for ever, and must neither
 * approve nor reveal anything.
 */
export function nextCommand(
  error: PlacardError,
  argv: readonly string[],
  names: readonly string[],
): string | undefined {
  const { command, word, category } = guessArguments(argv)
  const destination = shellWord(word ?? 'DESTINATION')
  switch (error.code) {
    case 'unknown_category': {
      const meant = suggestCategory(category)
      return meant && meant !== category
        ? same(argv.map(each => replaced(each, category, meant)))
        : 'placard-agent capabilities'
    }
    case 'invalid_destination': {
      const [, meant] = /Did you mean (https:\S+)\?/.exec(error.message) ?? []
      return meant ? same(argv.map(each => replaced(each, word, meant))) : help(command, names)
    }
    case 'review_rejected':
      return category ? `placard-agent check ${destination} --category ${shellWord(category)}` : 'placard-agent list'
    case 'other_category':
      return `placard-agent status ${destination}`
    case 'already_appealed':
    case 'not_contestable':
      return word === undefined ? 'placard-agent decision' : `placard-agent decision ${destination}`
    case 'no_decision':
    case 'destination_already_listed':
    case 'unknown_submission':
    case 'which_submission':
    case 'no_link':
      return 'placard-agent list'
    case 'submissions_closed':
      return 'placard-agent capabilities'
    case 'approval_required':
    case 'declined':
    case 'not_a_terminal':
    case 'journal_damaged':
    case 'redirected':
      return undefined
    case 'not_found':
      return command === 'decision' || command === 'appeal' ? 'placard-agent list' : undefined
  }
  const isRepeatable = error.kind === 'postponed' || error.kind === 'unknown'
  return isRepeatable ? same(argv) : help(command, names)
}

const same = (argv: readonly string[]) => ['placard-agent', ...argv.map(shellWord)].join(' ')
const help = (command: string, names: readonly string[]) =>
  names.includes(command) ? `placard-agent help ${command}` : 'placard-agent help'

const replaced = (word: string, wrong: string | undefined, right: string) =>
  word === wrong ? right : word === `--category=${wrong}` ? `--category=${right}` : word
