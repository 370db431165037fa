import { type PlacardError, usageError } from '../error.ts'
import { plain } from '../service/text.ts'
import { destinationKey, hostOf } from './destination-key.ts'
import type { Submission } from './submission.ts'

/**
 * Returns the one submission of a destination that counts, since a destination is listed only once. It is the one that
 * is or may be accepted, or is postponed; otherwise, the last one refused.
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

/** Returns the submission that counts of each destination at each service, oldest first. */
export function currentOfEach(submissions: Submission[]): Submission[] {
  const groups = Map.groupBy(submissions, one => `${one.service} ${destinationKey(one.destination)}`)
  return [...groups.values()].flatMap(same => current(same) ?? [])
}

/**
 * Returns the submission named by an address in any spelling, a host name, or nothing if there is only one. Throws
 * `unknown_submission` and `which_submission`.
 */
export function meant(submissions: Submission[], text: string | undefined, journal: string): Submission {
  const all = currentOfEach(submissions)
  const [found, ...more] = text === undefined ? all : matching(all, text)
  if (found && more.length === 0) return found
  throw found ? which([found, ...more]) : nothing(text, journal)
}

/** Returns the submission whose decision is meant: as `meant`, but without a name, among those that were refused, if any. */
export function meantByDecision(submissions: Submission[], text: string | undefined, journal: string): Submission {
  const refused = text === undefined ? currentOfEach(submissions).filter(one => one.state === 'refused') : []
  return meant(refused.length > 0 ? refused : submissions, text, journal)
}

function matching(all: Submission[], text: string): Submission[] {
  const keys = [destinationKey(text), destinationKey(`https://${text}`)]
  const exact = all.filter(one => keys.includes(destinationKey(one.destination)))
  const host = hostOf(text)
  return exact.length > 0 ? exact : all.filter(one => host !== undefined && hostOf(one.destination) === host)
}

const NAMED = 10

function which(several: Submission[]): PlacardError {
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

const nothing = (text: string | undefined, journal: string) =>
  usageError(
    'unknown_submission',
    text === undefined
      ? `The journal ${journal} holds no submission.`
      : `The journal ${journal} holds no submission of ${plain(text.slice(0, 200))}.`,
    'If it was published from another machine, run `placard-agent import` with that machine’s journal. Otherwise, publish it.',
    'destination',
  )
