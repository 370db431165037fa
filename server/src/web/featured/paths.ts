/** The last draw. */
export const DRAW_PATH = '/draw'

export const drawPath = (day: string): string => `${DRAW_PATH}/${day}`

/** The operator's picks. */
export const PICKS_PATH = '/picks'
