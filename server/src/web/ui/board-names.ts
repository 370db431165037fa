import type { Board } from '@placard/contract'

export const BOARD_NAMES: Record<Board, string> = { all: 'All time', today: 'Today' }

/** The same within a sentence. */
export const BOARDS_IN_WORDS: Record<Board, string> = {
  all: 'the board of all time',
  today: 'today’s board',
}
