import { DRAW_DAYS_BETWEEN } from '@placard/contract/plain'
import type { Command } from '../context.ts'
import { wrongUsage } from '../words.ts'
import { verifyTheBoard } from './verify-board.ts'
import { verifyDraw } from './verify-draw.ts'
import { verifyTheReceipt } from './verify-receipt.ts'

export const verify: Command = {
  name: 'verify',
  words: ['WHAT', '[FILE|DAY]'],
  options: ['service', 'journal', 'key', 'witness', 'wait'],
  summary: 'check boards, a receipt or a draw against the log',
  details: [
    'board         reads the log of a site, and compares its boards, past days and',
    '              draws with it. The next run checks that the log only grew.',
    'receipt FILE  checks a proof that you were given, offline if the key is known.',
    'draw DAY      draws again on a UTC day: the hash of the list, the listings and',
    `              their order, none drawn in the ${DRAW_DAYS_BETWEEN - 1} days before, and the seed.`,
    '',
    'Nothing that the service computed is trusted. What was seen of the log is kept',
    'next to the journal. The exit code is 1 if something does not agree. What changes',
    'during the comparison is compared again, for half a minute or --wait.',
  ],
  example: 'placard-agent verify board --service https://placard.example',
  async run(context) {
    const [what, which = ''] = context.words
    if (what === 'board' && which === '') return verifyTheBoard(context)
    if (what === 'receipt' && which !== '') return verifyTheReceipt(context, which)
    if (what === 'draw' && isDay(which)) return verifyDraw(context, which)
    throw wrongUsage('Name what to verify: board, receipt and a file, or draw and a UTC day as YYYY-MM-DD.')
  },
}

const isDay = (text: string) => {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}
