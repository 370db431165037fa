import { BOARDS, type Board } from '@placard/contract/plain'
import type { QuoteRequest } from '../../client.ts'
import type { Quote } from '../../service/replies.ts'
import { dollars, utcText } from '../../service/text.ts'
import type { Command, Context } from '../context.ts'
import { categoryOf, destinationOf, wholeNumber, wrongUsage } from '../read-arguments.ts'

export const quote: Command = {
  name: 'quote',
  positionals: ['DESTINATION'],
  options: ['category', 'board', 'target', 'service'],
  summary: 'show the price of a place on a board, and the link to confirm it',
  details: [
    'Charges and reserves nothing: a person must open the link in a browser and',
    'confirm there. --target is the total on the board, not the increment.',
  ],
  example: 'placard-agent quote https://shop.example --category Games --board all --target 25',
  async run(context) {
    const request: QuoteRequest = {
      destination: destinationOf(context),
      category: categoryOf(context),
      board: boardOf(context),
      targetBid: wholeNumber('--target', context.value('target'), 'US dollars'),
    }
    const answer = await context.client(context.service()).quote(request)
    return { text: quoteText(answer, request), json: answer }
  },
}

const boardOf = (context: Context): Board => BOARDS.find(one => one === context.value('board')) ?? missingBoard()

function missingBoard(): never {
  throw wrongUsage(`Name a --board: ${BOARDS.join(' or ')}.`)
}

function quoteText(price: Quote, { destination, board, targetBid }: QuoteRequest): string[] {
  return [
    `${dollars(price.chargeAmountCents)} would bring ${destination} to ${dollars(targetBid * 100)} on the board "${board}".`,
    '',
    ...(price.estimatedRank ? [`Estimated rank  ${price.estimatedRank} (not reserved)`] : []),
    `Price holds     until ${utcText(price.expiresAt)}; the link shows the current price`,
    '',
    'Nothing was charged or reserved. To pay, a person must open this link in a browser and confirm:',
    price.handoffUrl,
  ]
}
