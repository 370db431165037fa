import { type PlacardError, usageError } from '../error.ts'
import { serviceAddress } from '../service/address.ts'
import { isDecisionId } from '../service/text.ts'
import { selectByDecision, selectSubmission } from '../submissions/choose.ts'
import { isAbout } from '../submissions/decisions.ts'
import { readSubmissions, type Submission } from '../submissions/submission.ts'
import type { Context } from './context.ts'

/** Returns the error for an invalid command line. */
export const wrongUsage = (error: string): PlacardError => usageError('usage', error, 'Run the command with --help.')

export const destinationOf = ({ positionals }: Context): string => positionals[0] ?? missingDestination()
export const categoryOf = (context: Context): string => context.value('category') ?? missingCategory()

/** Returns the submission that the argument names, at the service of `--service` or at any service. */
export async function readSubmission(context: Context, choose = selectSubmission): Promise<Submission> {
  const store = context.store()
  return choose(ofService(context, await readSubmissions(store)), context.positionals[0], store.name)
}

/** Returns the submissions to the service of `--service`; without that option, all. */
export function ofService<One extends { service: string }>(context: Context, all: One[]): One[] {
  if (!context.has('service')) return all
  const service = serviceAddress(context.service())
  return all.filter(one => one.service === service)
}

/** Returns the decision that the argument names, and its service, from `--service` or the journal. */
export async function readDecision(context: Context): Promise<{ service: string; which: string }> {
  const [word] = context.positionals
  if (word === undefined || !isDecisionId(word)) {
    const { service, destination } = await readSubmission(context, selectByDecision)
    return { service, which: destination }
  }
  const all = await readSubmissions(context.store())
  const submissions = all.filter(one => isAbout(one, word.toLowerCase()))
  const [only, ...more] = new Set((submissions.length > 0 ? submissions : all).map(({ service }) => service))
  const isClear = only !== undefined && more.length === 0 && !context.has('service')
  return { service: isClear ? only : serviceAddress(context.service()), which: word }
}

/** The longest wait. Timers of more than 24 days end at once. */
export const WEEK_SECONDS = 7 * 24 * 60 * 60

/** Returns an option's whole number. Throws a usage error. */
export function wholeNumber(option: string, text: string | undefined, unit: string, max = 999_999_999): number {
  if (!text || !/^\d{1,9}$/.test(text) || Number(text) > max)
    throw wrongUsage(`${option} needs a whole number of ${unit}.`)
  return Number(text)
}

function missingDestination(): never {
  throw wrongUsage('Name the destination, such as https://shop.example.')
}

function missingCategory(): never {
  throw wrongUsage('Name a --category. To list them, run placard-agent capabilities.')
}
