import { BOARDS, type Board } from '@placard/contract'
import type { Preset, PresetPlace } from '../../checkout/presets.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { shortDollars } from '../ui/money.ts'

export type Presets = Record<Board, Preset[]>

/**
 * Places to choose instead of an amount, each a button of the form. The style sheet shows those of the chosen board;
 * where it cannot, both stand there by name.
 */
export const PresetButtons = ({ presets, targetBid }: { presets: Presets; targetBid: number | undefined }) =>
  BOARDS.filter(board => presets[board].length > 0).map(board => (
    <fieldset class={`field of-${board}`} key={board}>
      <legend>Which place? {BOARD_NAMES[board]}, at the price now</legend>
      <div class="pick">
        {presets[board].map(preset => (
          <PresetButton key={preset.place} {...preset} isChosen={preset.targetBid === targetBid} />
        ))}
      </div>
    </fieldset>
  ))

function PresetButton({
  place,
  targetBid,
  chargeAmountCents,
  rank,
  isChosen,
}: Preset & { isChosen: boolean }) {
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
