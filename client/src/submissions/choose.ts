import { type PlacardError, usageError } from '../error.ts'
import { plain } from '../service/text.ts'
import { destinationKey, hostOf } from './destination-key.ts'
import type { Submission } from './submission.ts'

/**
 * Returns the current submission of a destination, because a destination is listed only once: the accepted one, else
 * the one that may be accepted, else the last postponed one, else the last refused one.
 */
export function current(same: Submission[]): Submission | undefined {
  return (
    same.find(one => one.state === 'accepted') ??
    same.find(one => one.state === 'unknown') ??
    same.findLast(one => one.state === 'postponed') ??
    same.at(-1)
  )
}

/** Returns all submissions of one destination at one service, in any spelling. */
export function ofDestination(submissions: Submission[], service: string, destination: string): Submission[] {
  const key = destinationKey(destination)
  return submissions.filter(one => one.service === service && destinationKey(one.destination) === key)
}

/** Returns the current submission of each destination at each service, oldest first. */
export function currentOfEach(submissions: Submission[]): Submission[] {
  const groups = Map.groupBy(submissions, one => `${one.service} ${destinationKey(one.destination)}`)
  return [...groups.values()].flatMap(same => current(same) ?? [])
}

/**
 * Returns the submission named by an address in any spelling, a host name, or nothing if there is only one. Throws
 * `unknown_submission` and `which_submission`.
 */
export function selectSubmission(submissions: Submission[], text: string | undefined, journal: string): Submission {
  const all = currentOfEach(submissions)
  const [found, ...more] = text === undefined ? all : matching(all, text)
  if (found && more.length === 0) return found
  throw found ? ambiguous([found, ...more]) : unknownSubmission(text, journal)
}

/** Returns a submission like `selectSubmission`. Without an argument, it prefers refused submissions. */
export function selectByDecision(submissions: Submission[], text: string | undefined, journal: string): Submission {
  const refused = text === undefined ? currentOfEach(submissions).filter(one => one.state === 'refused') : []
  return selectSubmission(refused.length > 0 ? refused : submissions, text, journal)
}

function matching(all: Submission[], text: string): Submission[] {
  const keys = [destinationKey(text), destinationKey(`https://${text}`)]
  const exact = all.filter(one => keys.includes(destinationKey(one.destination)))
  const host = hostOf(text)
  return exact.length > 0 ? exact : all.filter(one => host !== undefined && hostOf(one.destination) === host)
}

const NAMED = 10

function ambiguous(several: Submission[]): PlacardError {
  const names = several.slice(0, NAMED).map(one => `${one.destination} at ${one.service}`)
  const more = several.length > NAMED ? `, and ${several.length - NAMED} more` : ''
  const onSeveral = new Set(several.map(one => one.service)).size > 1
  return usageError(
    'which_submission',
    `That may be any of several submissions: ${names.join(', ')}${more}.`,
    `Name the whole address${onSeveral ? ', and the service' : ''}.`,
    'destination',
  )
}

const unknownSubmission = (text: string | undefined, journal: string) =>
  usageError(
    'unknown_submission',
    text === undefined
      ? `The journal ${journal} holds no submission.`
      : `The journal ${journal} holds no submission of ${plain(text.slice(0, 200))}.`,
    'If it was published from another machine, run `placard-agent import` with that machine’s journal. Otherwise, publish it.',
    'destination',
  )
