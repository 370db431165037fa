import { BOARDS, type Board, CATEGORIES, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import { PRESET_PLACES, type PresetPlace } from '../../domain/checkout/offer.ts'
import type { Order } from '../../domain/checkout/place-order.ts'
import type { Destination } from '../../domain/destinations/destination.ts'
import type { Links } from '../../platform/http/links.ts'
import { echoedAddress, typedDestination } from '../list/address-field.tsx'

/** What a hand-off link or a form chose. */
export type Choice = Pick<Order, 'destination' | 'category' | 'board' | 'targetBid'>

type Part = 'destination' | 'category' | 'board' | 'target'

/** By how much the buttons next to the amount change it, in US dollars. */
export const STEPS = { less: -5, more: 5 } as const
export type Step = keyof typeof STEPS

/** The valid parts. `faults` says what is wrong with the others that were given. */
export interface ReadChoice {
  destination: Destination | undefined
  category: string | undefined
  board: Board | undefined
  targetBid: number | undefined
  /** A place named instead of an amount. */
  place?: PresetPlace | undefined
  /** The button that just changed the amount. */
  step?: Step | undefined
  /** Invalid text that stays in its field, unless it may be a private link. */
  typed?: { destination?: string | undefined; target?: string | undefined }
  faults: Partial<Record<Part, string>>
}

/** Reads the query of a hand-off link, or the fields of a form. Leaves out invalid parts instead of failing. */
export function readChoice(given: Readonly<Record<string, unknown>>, links: Links): ReadChoice {
  const faults: ReadChoice['faults'] = {}
  const place = PRESET_PLACES.find(name => name === given.place)
  const step = (['less', 'more'] as const).find(name => name === given.step)

  function read<T>(part: Part, use: (text: string) => T): T | undefined {
    const value = given[part]
    // A visitor may look at prices before filling in the rest.
    if (value === undefined || (value === '' && (place || step))) return undefined
    try {
      if (typeof value !== 'string') throw new Fault('Enter this only once.')
      if (value === '') throw new Fault('Please fill this in.')
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
    // A named place decides the amount, whatever its field contains.
    targetBid: place ? undefined : stepped(read('target', readTarget), step),
    place,
    step,
    typed: { destination: echoedAddress(given.destination), target: keptTarget(given.target) },
    faults,
  }
}

class Fault extends Error {}

function readDestination(text: string, links: Links): Destination {
  const read = typedDestination(text, links)
  if ('fault' in read) throw new Fault(read.fault)
  return read
}

function readCategory(text: string): string {
  const category = CATEGORIES.find(id => id === text)
  if (!category) throw new Fault('Choose one of these categories.')
  return category
}

function readBoard(text: string): Board {
  const board = BOARDS.find(id => id === text)
  if (!board) throw new Fault('Choose one of these boards.')
  return board
}

/** People copy amounts as our pages write them: `$1,250`. A comma elsewhere could stand for cents. */
function readTarget(text: string): number {
  const [, digits = ''] = /^\$? ?(\d{1,6}|\d{1,3},\d{3})$/.exec(text.trim()) ?? []
  const amount = Number(digits.replace(',', ''))
  if (amount >= MINIMUM_TARGET_USD && amount <= MAXIMUM_TARGET_USD) return amount
  throw new Fault(
    `Enter a whole number of US dollars from ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD.toLocaleString('en-US')}.`,
  )
}

function stepped(targetBid: number | undefined, step: Step | undefined): number | undefined {
  if (targetBid === undefined || step === undefined) return targetBid
  return Math.min(MAXIMUM_TARGET_USD, Math.max(MINIMUM_TARGET_USD, targetBid + STEPS[step]))
}

/** Returns a mistyped amount, to show it again, unless it is too long to be one. */
const keptTarget = (typed: unknown) =>
  typeof typed === 'string' && /^[\w.,\p{Sc} -]{1,12}$/u.test(typed) ? typed : undefined
