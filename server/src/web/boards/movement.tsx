import type { Movement } from '../../boards/marks.ts'

interface Shape {
  kind: 'up' | 'down' | 'same' | 'new'
  sign: string
  /** For screen readers. */
  words: string
}

/** How a place moved: a sign to see and words for screen readers. Nothing if the movement is unknown. */
export function MovementMark({ movement }: { movement: Movement | undefined }) {
  if (movement === undefined) return null
  const { kind, sign, words } = shapeOf(movement)
  return (
    <span class={`move ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </span>
  )
}

function shapeOf(movement: Movement): Shape {
  if (movement === 'new') return { kind: 'new', sign: 'new', words: 'new here' }
  if (movement === 'entered') return { kind: 'up', sign: '▲', words: 'up from below place 100' }
  if (movement === 0) return { kind: 'same', sign: '–', words: 'same place' }
  const by = Math.abs(movement)
  const places = by === 1 ? '1 place' : `${by} places`
  return movement > 0
    ? { kind: 'up', sign: `▲${by}`, words: `up ${places}` }
    : { kind: 'down', sign: `▼${by}`, words: `down ${places}` }
}
