import {
  BOARDS,
  type Board,
  CATEGORIES,
  ERRORS,
  MAXIMUM_TARGET_USD,
  MINIMUM_TARGET_USD,
} from '@placard/contract'
import { type Destination, parseDestination } from '../../destinations/destination.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { mayHoldOwnerKey } from '../../ownership/private-link.ts'

/** What a hand-off link, or a form, chose. */
export interface Choice {
  destination: Destination
  category: string
  board: Board
  targetBid: number
}

export type Part = 'destination' | 'category' | 'board' | 'target'

/** The parts that could be used. `faults` says what is wrong with the others that were given, and never repeats them. */
export interface ReadChoice {
  destination: Destination | undefined
  category: string | undefined
  board: Board | undefined
  targetBid: number | undefined
  faults: Partial<Record<Part, string>>
}

/** Reads the query of a hand-off link, or the fields of a form. Lenient: a part that cannot be used is left out. */
export function readChoice(given: Readonly<Record<string, unknown>>, links: Links): ReadChoice {
  const faults: ReadChoice['faults'] = {}

  function read<T>(part: Part, use: (text: string) => T): T | undefined {
    const value = given[part]
    if (value === undefined) return undefined
    try {
      if (typeof value !== 'string') throw new Fault('Give this once.')
      if (value === '') throw new Fault('This is missing.')
      return use(value)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults[part] = error.message
      return undefined
    }
  }

  return {
    destination: read('destination', text => readDestination(text, links)),
    category: read('category', readCategory),
    board: read('board', readBoard),
    targetBid: read('target', readTarget),
    faults,
  }
}

class Fault extends Error {}

/**
 * Never a private link, nor anything that carries an owner key, however it is escaped: such a text is not used and not
 * shown. A person may leave the scheme out.
 */
function readDestination(text: string, links: Links): Destination {
  const given = text.trim()
  if (mayHoldOwnerKey(given)) {
    throw new Fault('This looks like a private link, which opens a listing. Give the public address instead.')
  }
  try {
    return parseDestination(/^[^/?#]*:/.test(given) ? given : `https://${given}`, links.hostname)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // Which rule is broken is enough for a person.
    throw new Fault(error.message.replace(ERRORS.invalid_destination.error, '').trim())
  }
}

function readCategory(text: string): string {
  const category = CATEGORIES.find(id => id === text)
  if (!category) throw new Fault('There is no such category. Choose one of these.')
  return category
}

function readBoard(text: string): Board {
  const board = BOARDS.find(id => id === text)
  if (!board) throw new Fault('There is no such board. Choose one of these.')
  return board
}

function readTarget(text: string): number {
  const amount = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0
  if (amount >= MINIMUM_TARGET_USD && amount <= MAXIMUM_TARGET_USD) return amount
  throw new Fault(
    `Give a whole number of US dollars from ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD.toLocaleString('en-US')}.`,
  )
}
