import { BOARDS, type Board, DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { Preset, PresetPlace } from '../../domain/checkout/offer.ts'
import type { Listing } from '../../domain/listings/listing.ts'
import { Button, CategoryOptions, Field, faultProps } from '../ui/elements.tsx'
import { BOARD_NAMES, shortDollars } from '../ui/format.ts'
import { type ReadChoice, STEPS, type Step } from './choice.ts'

export interface Choosing {
  read: ReadChoice
  /** The chosen destination's listing, if it has one: its category stays. */
  listing: Listing | undefined
  /** Undefined if they cannot be read now. */
  presets: Presets | undefined
}

interface ChoiceFormProps extends Choosing {
  /** Whether choosing is the only step now. */
  isMain: boolean
  /** Whether a message at the top of the page has the focus. */
  isRefused: boolean
}

/** The form for a choice, with everything that was typed. It leads to the price, below on the same page. */
export function ChoiceForm({ read, listing, presets, isMain, isRefused }: ChoiceFormProps) {
  const { destination, board = 'all', targetBid, typed, faults } = read
  const pressed = isRefused ? undefined : read.step
  return (
    <form method="get" action="/promote#price">
      {/* Enter in a field presses the first button of its form, which would be one of the places. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true">
        Show the price
      </button>
      <Field
        label="Website"
        fault={faults.destination}
        id="destination"
        name="destination"
        required
        type="text"
        inputmode="url"
        autocomplete="url"
        maxLength={DESTINATION_MAX_LENGTH}
        placeholder="https://www.your-website.com/"
        value={destination?.url ?? typed?.destination}
      />
      {listing ? (
        <p class="field">
          <input type="hidden" name="category" value={listing.category} />
          This website is already listed under <strong>{listing.category}</strong> and stays there.
        </p>
      ) : (
        <Field label="Category (new listings only)" fault={faults.category} id="category">
          <select id="category" name="category" {...faultProps('category', faults.category)}>
            <option value="">Choose one</option>
            <CategoryOptions chosen={read.category} />
          </select>
        </Field>
      )}
      <fieldset class="field">
        <legend>Board</legend>
        {faults.board && <span class="fault">{faults.board}</span>}
        <div class="seg">
          {BOARDS.map(id => (
            <label key={id}>
              <input type="radio" name="board" value={id} checked={id === board} />
              <span>
                {BOARD_NAMES[id]}
                {id === 'today' && ', until midnight UTC'}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {presets && <PresetButtons presets={presets} targetBid={targetBid} />}
      <Field label="Or your own total, in whole US dollars" fault={faults.target} id="target">
        <span class="amount">
          <StepButton step="less" sign="−" isPressed={pressed === 'less'} />
          <input
            id="target"
            name="target"
            required
            type="text"
            inputmode="numeric"
            autocomplete="off"
            maxLength={12}
            value={targetBid ?? typed?.target}
            {...faultProps('target', faults.target)}
          />
          <StepButton step="more" sign="+" isPressed={pressed === 'more'} />
          <Button look={isMain ? 'go' : 'ink'}>Show the price</Button>
        </span>
      </Field>
    </form>
  )
}

/** Its page stays where it is, and gives it the focus again: so it can be pressed many times without a script. */
function StepButton({ step, sign, isPressed }: { step: Step; sign: string; isPressed: boolean }) {
  return (
    <button
      class="btn"
      type="submit"
      name="step"
      value={step}
      formAction="/promote"
      formNoValidate
      aria-label={`$${Math.abs(STEPS[step])} ${step}`}
      autofocus={isPressed}
    >
      {sign}
    </button>
  )
}

export type Presets = Record<Board, Preset[]>

/**
 * Places to choose instead of an amount, each a button of the form. The style sheet shows those of the chosen board;
 * if it cannot, both are shown with their names.
 */
const PresetButtons = ({ presets, targetBid }: { presets: Presets; targetBid: number | undefined }) =>
  BOARDS.filter(board => presets[board].length > 0).map(board => (
    <fieldset class={`field of-${board}`} key={board}>
      <legend>Which place? {BOARD_NAMES[board]}, at current prices</legend>
      <div class="pick">
        {presets[board].map(preset => (
          <PresetButton key={preset.place} {...preset} isChosen={preset.targetBid === targetBid} />
        ))}
      </div>
    </fieldset>
  ))

function PresetButton({ place, targetBid, chargeAmountCents, rank, isChosen }: Preset & { isChosen: boolean }) {
  const total = targetBid * 100
  const words = [
    total === chargeAmountCents ? [] : `for ${shortDollars(total)} in total`,
    place === 'least' ? `No. ${rank.toLocaleString('en-US')}` : [],
  ]
    .flat()
    .join(', ')
  return (
    <button
      class={place === '1' ? 'btn card n1' : 'btn card'}
      type="submit"
      name="place"
      value={place}
      formNoValidate
      aria-current={isChosen ? 'true' : undefined}
    >
      <b>{PLACE_NAMES[place]}</b>
      <strong>{shortDollars(chargeAmountCents)}</strong>
      {words && <small>{words}</small>}
    </button>
  )
}

const PLACE_NAMES: Record<PresetPlace, string> = {
  '1': 'No. 1',
  '5': 'Top 5',
  '10': 'Top 10',
  least: 'Cheapest',
}
