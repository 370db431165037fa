/** What is drawn on. `width` and `height` are within the margins. */
export interface Sheet {
  viewWidth: number
  viewHeight: number
  margin: number
  width: number
  height: number
}

/** All drawings are as wide, in units of their own. */
export const VIEW_WIDTH = 400

/** A sheet of this height. */
export function sheetOf(viewHeight: number, margin = 20): Sheet {
  return {
    viewWidth: VIEW_WIDTH,
    viewHeight,
    margin,
    width: VIEW_WIDTH - 2 * margin,
    height: viewHeight - 2 * margin,
  }
}
