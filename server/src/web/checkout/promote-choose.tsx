import {
  BOARDS,
  CATEGORIES,
  DESTINATION_MAX_LENGTH,
  MAXIMUM_TARGET_USD,
  MINIMUM_TARGET_USD,
} from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { Links } from '../../http/links.ts'
import type { Listing } from '../../listings/listing.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { renderDocument } from '../ui/layout.tsx'
import { Message } from '../ui/message.tsx'
import type { Part, ReadChoice } from './promote-choice.ts'
import { PromoteFrame, WhatYouBuy } from './promote-frame.tsx'

interface Choosing {
  read: ReadChoice
  /** The chosen destination's listing, if it has one: its category stays. */
  listing: Listing | undefined
}

/** Asks for missing or invalid parts, with the valid ones filled in. */
export const renderChoose = (choosing: Choosing, links: Links): string =>
  renderDocument(
    <PromoteFrame links={links} title="A paid place">
      <h1>Choose a paid place</h1>
      {Object.keys(choosing.read.faults).length > 0 && (
        <Message>
          <strong>Please fix the fields marked below.</strong>
        </Message>
      )}
      <p>
        It puts your website on a board, ranked by what was paid for it. You see the price and the rank before
        you pay anything.
      </p>
      <ChoiceForm {...choosing} />
      <h2>How a paid place works</h2>
      <WhatYouBuy />
      <p class="note">
        Never enter your private link in this form: it opens your listing. A later step asks for it, in a
        field of its own.
      </p>
    </PromoteFrame>,
  )

/** The form for a choice. It leads to the price. */
export function ChoiceForm({ read, listing }: Choosing) {
  const { destination, board = 'all', targetBid, faults } = read
  return (
    <form method="get" action="/promote">
      <Field part="destination" label="Website" faults={faults}>
        <input
          {...fieldProps('destination', faults)}
          type="text"
          inputmode="url"
          autocomplete="url"
          maxLength={DESTINATION_MAX_LENGTH}
          placeholder="https://www.your-website.com/"
          value={destination?.url}
        />
      </Field>
      {listing ? (
        <p>
          <input type="hidden" name="category" value={listing.category} />
          This website is already listed under <strong>{listing.category}</strong> and stays there.
        </p>
      ) : (
        <Field part="category" label="Category" faults={faults}>
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
        {BOARDS.map(id => (
          <label class="check" key={id}>
            <input type="radio" name="board" value={id} checked={id === board} />
            <span>
              {BOARD_NAMES[id]}
              {id === 'today' && ' (resets at midnight UTC)'}
            </span>
          </label>
        ))}
      </fieldset>
      <Field part="target" label="Your total on this board, in whole US dollars" faults={faults}>
        <input
          {...fieldProps('target', faults)}
          type="number"
          min={MINIMUM_TARGET_USD}
          max={MAXIMUM_TARGET_USD}
          step={1}
          value={targetBid}
        />
      </Field>
      <p>
        <button type="submit">Show the price</button>
      </p>
    </form>
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
  required: true,
  ...(faults[part] && { 'aria-invalid': 'true' as const, 'aria-describedby': `${part}-fault` }),
})
