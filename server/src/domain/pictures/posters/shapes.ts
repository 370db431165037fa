import { fitLine, lineSvg, round } from './line.ts'

const ROWS = 3
const GAP = 8

/** One cell of a quilt: a block, quarters of a disc, a disc, a triangle, stripes. `x`, `y`: its corner, `c`: its side. */
const SHAPES: readonly ((x: number, y: number, c: number) => string)[] = [
  (x, y, c) => path(`M${x} ${y}h${c}v${c}h-${c}z`),
  (x, y, c) => path(`M${x} ${y}a${c} ${c} 0 0 1 ${c} ${c}h-${c}z`),
  (x, y, c) => path(`M${x} ${round(y + c)}a${c} ${c} 0 0 1 ${c} -${c}v${c}z`),
  (x, y, c) => `<circle cx="${round(x + c / 2)}" cy="${round(y + c / 2)}" r="${round(c / 2)}"/>`,
  (x, y, c) => path(`M${x} ${y}l${c} ${c}h-${c}z`),
  (x, y, c) => path(`M${x} ${y}h${c}v${round(c / 2)}h-${c}zM${x} ${round(y + c * 0.75)}h${c}v${round(c / 4)}h-${c}z`),
  (x, y, c) => path(`M${round(x + c)} ${y}a${c} ${c} 0 0 1 -${c} ${c}v-${c}z`),
]

const path = (d: string) => `<path d="${d}"/>`

interface Quilt {
  cell: number
  left: number
  top: number
  cells: { column: number; row: number; svg: string }[]
}

/** A quilt of shapes, three rows high, the same for the same seed. */
function quiltOf(seed: number, { margin, width, height, viewWidth }: Sheet): Quilt {
  const cell = Math.floor((height - GAP * (ROWS - 1)) / ROWS)
  const columns = Math.max(1, Math.floor((width + GAP) / (cell + GAP)))
  const left = round((viewWidth - columns * cell - (columns - 1) * GAP) / 2)
  let state = seed
  const cells = Array.from({ length: ROWS * columns }, (_, place) => {
    state = Math.imul(state ^ (state >>> 11), 2_654_435_761) >>> 0
    const [column, row] = [place % columns, Math.floor(place / columns)]
    const draw = SHAPES[state % SHAPES.length] ?? SHAPES[0]
    const svg = draw?.(left + column * (cell + GAP), margin + row * (cell + GAP), cell) ?? ''
    return { column, row, svg }
  })
  return { cell, left, top: margin, cells }
}

/** Shapes alone: for scripts with joined letters, and for titles without a name. */
export const drawShapes = (seed: number, sheet: Sheet): string =>
  quiltOf(seed, sheet)
    .cells.map(({ svg }) => svg)
    .join('')

/** Draws shapes with the initials in the lower corner. */
export function drawCorner(initials: string, seed: number, sheet: Sheet): string {
  const { cell, left, top, cells } = quiltOf(seed, sheet)
  const side = cell * 2 + GAP - 10
  const line = fitLine(initials, side, side)
  const placing = { x: left, y: top + ROWS * cell + (ROWS - 1) * GAP - line.below, length: side }
  return (
    cells
      .filter(({ column, row }) => column > 1 || row === 0)
      .map(({ svg }) => svg)
      .join('') + lineSvg(line, placing)
  )
}

/** The sheet to draw on. `width` and `height` exclude the margins. */
export interface Sheet {
  viewWidth: number
  viewHeight: number
  margin: number
  width: number
  height: number
}

/** The width of every drawing, in its own units. */
export const VIEW_WIDTH = 400

/** A sheet of a height. */
export function sheetOf(viewHeight: number, margin = 20): Sheet {
  return {
    viewWidth: VIEW_WIDTH,
    viewHeight,
    margin,
    width: VIEW_WIDTH - 2 * margin,
    height: viewHeight - 2 * margin,
  }
}
