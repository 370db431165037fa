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
