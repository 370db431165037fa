import { DRAW_DAYS_BETWEEN } from '@placard/contract/plain'
import type { Command } from '../context.ts'
import { wrongUsage } from '../read-arguments.ts'
import { verifyTheBoard } from './verify-board.ts'
import { verifyDraw } from './verify-draw.ts'
import { verifyTheReceipt } from './verify-receipt.ts'

export const verify: Command = {
  name: 'verify',
  positionals: ['WHAT', '[FILE|DAY]'],
  choices: ['board', 'receipt', 'draw'],
  options: ['service', 'journal', 'key', 'witness', 'wait'],
  summary: 'check boards, a receipt or a draw against the log',
  details: [
    'board         reads the log of a site, and compares its boards, past days and',
    '              draws with it. The next run checks that the log only grew.',
    'receipt FILE  checks a proof that you were given, offline if the key is known.',
    'draw DAY      repeats the draw of a UTC day. Checks the hash of the list, the seed,',
    '              the listings and their order, and that none of them was drawn in',
    `              the ${DRAW_DAYS_BETWEEN - 1} days before.`,
    '',
    'The command computes everything itself, and trusts no result of the service. It',
    'saves what it saw of the log next to the journal. What changes during the',
    'comparison is compared again, for 30 seconds or the time in --wait. The exit',
    'code is 1 if something does not agree.',
  ],
  example: 'placard-agent verify board --service https://placard.example',
  async run(context) {
    const [what, which = ''] = context.positionals
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
