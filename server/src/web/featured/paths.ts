/** The last draw. */
export const DRAW_PATH = '/draw'

/** Returns the path of the draw of a UTC day. */
export const drawPath = (day: string): string => `${DRAW_PATH}/${day}`

/** The operator's picks. */
export const PICKS_PATH = '/picks'
