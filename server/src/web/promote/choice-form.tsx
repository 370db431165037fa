import { BOARDS, type Board, CATEGORIES, DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { Preset, PresetPlace } from '../../domain/checkout/offer.ts'
import type { Listing } from '../../domain/listings/listing.ts'
import { BOARD_NAMES, shortDollars } from '../ui/format.ts'
import { type Part, type ReadChoice, STEPS, type Step } from './choice.ts'

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
}

/** The form for a choice, with everything that was typed. It leads to the price, below on the same page. */
export function ChoiceForm({ read, listing, presets, isMain }: ChoiceFormProps) {
  const { destination, board = 'all', targetBid, typed, faults } = read
  return (
    <form method="get" action="/promote#price">
      {/* Enter in a field presses the first button of its form, which would be one of the places. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true">
        Show the price
      </button>
      <Field part="destination" label="Website" faults={faults}>
        <input
          {...fieldProps('destination', faults)}
          required
          type="text"
          inputmode="url"
          autocomplete="url"
          maxLength={DESTINATION_MAX_LENGTH}
          placeholder="https://www.your-website.com/"
          value={destination?.url ?? typed?.destination}
        />
      </Field>
      {listing ? (
        <p class="field">
          <input type="hidden" name="category" value={listing.category} />
          This website is already listed under <strong>{listing.category}</strong> and stays there.
        </p>
      ) : (
        <Field part="category" label="Category (new listings only)" faults={faults}>
          <select {...fieldProps('category', faults)}>
            <option value="">Choose one</option>
            {CATEGORIES.map(id => (
              <option value={id} key={id} selected={id === read.category}>
                {id}
              </option>
            ))}
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
      <Field part="target" label="Or your own total, in whole US dollars" faults={faults}>
        <span class="amount">
          <StepButton step="less" sign="−" read={read} />
          <input
            {...fieldProps('target', faults)}
            required
            type="text"
            inputmode="numeric"
            autocomplete="off"
            maxLength={12}
            value={targetBid ?? typed?.target}
          />
          <StepButton step="more" sign="+" read={read} />
          <button class={isMain ? 'btn go' : 'btn ink'} type="submit">
            Show the price
          </button>
        </span>
      </Field>
    </form>
  )
}

/** Its page stays where it is, and gives it the focus again: so it can be pressed many times without a script. */
function StepButton({ step, sign, read }: { step: Step; sign: string; read: ReadChoice }) {
  return (
    <button
      class="btn"
      type="submit"
      name="step"
      value={step}
      formAction="/promote"
      formNoValidate
      aria-label={`$${Math.abs(STEPS[step])} ${step}`}
      autofocus={read.step === step}
    >
      {sign}
    </button>
  )
}

interface FieldProps {
  part: Part
  label: string
  faults: ReadChoice['faults']
  children: ComponentChildren
}

function Field({ part, label, faults, children }: FieldProps) {
  return (
    <p class="field">
      <label for={part}>{label}</label>
      {faults[part] && (
        <span class="fault" id={`${part}-fault`}>
          {faults[part]}
        </span>
      )}
      {children}
    </p>
  )
}

const fieldProps = (part: Part, faults: ReadChoice['faults']) => ({
  id: part,
  name: part,
  ...(faults[part] && { 'aria-invalid': 'true' as const, 'aria-describedby': `${part}-fault` }),
})

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
