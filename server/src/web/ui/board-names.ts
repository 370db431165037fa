import type { Board } from '@placard/contract'

export const BOARD_NAMES: Record<Board, string> = { all: 'All time', today: 'Today' }
