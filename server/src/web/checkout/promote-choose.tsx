import { BOARDS, CATEGORIES, DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { Links } from '../../http/links.ts'
import type { Listing } from '../../listings/listing.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { renderDocument } from '../ui/layout.tsx'
import { Message } from '../ui/message.tsx'
import type { Part, ReadChoice } from './promote-choice.ts'
import { PromoteFrame, WhatYouBuy } from './promote-frame.tsx'
import { PresetButtons, type Presets } from './promote-presets.tsx'

interface Choosing {
  read: ReadChoice
  /** The chosen destination's listing, if it has one: its category stays. */
  listing: Listing | undefined
  /** Undefined if they cannot be read now. */
  presets: Presets | undefined
}

/** Asks for missing or invalid parts, with everything that was typed. */
export const renderChoose = (choosing: Choosing, links: Links): string =>
  renderDocument(
    <PromoteFrame
      links={links}
      title="Choose a paid place"
      lead="You buy an amount, and the amount decides the place. You see both before you pay anything."
    >
      {Object.keys(choosing.read.faults).length > 0 && (
        <Message>
          <strong>Please fix the fields marked below.</strong>
        </Message>
      )}
      <div class="cols">
        <ChoiceForm {...choosing} />
        <aside class="rail" aria-label="In plain words">
          <section>
            <h2>In plain words</h2>
            <WhatYouBuy />
          </section>
          <p class="note">
            Never enter your private link in this form: it opens your listing. A later step asks for it, in a
            field of its own.
          </p>
        </aside>
      </div>
    </PromoteFrame>,
  )

/** The form for a choice. It leads to the price. */
export function ChoiceForm({ read, listing, presets }: Choosing) {
  const { destination, board = 'all', targetBid, typed, faults } = read
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
          value={destination?.url ?? typed?.destination}
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
      <Field part="target" label="Your total on this board, in whole US dollars" faults={faults}>
        <span class="ask">
          <input
            {...fieldProps('target', faults)}
            type="text"
            inputmode="numeric"
            autocomplete="off"
            maxLength={12}
            value={targetBid ?? typed?.target}
          />
          <button class="btn go" type="submit">
            Show the price
          </button>
        </span>
      </Field>
      {presets && <PresetButtons presets={presets} />}
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
