import { CONTRACT_VERSION } from '@placard/contract'
import type { PlacardClient } from 'placard-agent'
import type { PlannedPayment } from './plan.ts'
import type { Visitor } from './visitor.ts'

/**
 * Buys a place as people do: from a quote's hand-off, with the private link, to the sandbox's payment page.
 *
 * @param privateLink of the listing
 * @param targetBid the wanted total on the board
 * @returns the address of the page on which the payment can be refunded or disputed
 */
export async function buy(
  agent: PlacardClient,
  person: Visitor,
  { website, board }: PlannedPayment,
  { privateLink, targetBid }: { privateLink: string; targetBid: number },
): Promise<string> {
  const quote = await agent.quote({
    destination: `http://${website.host}/`,
    category: website.category,
    board,
    targetBid,
  })
  const choice = Object.fromEntries(new URL(quote.handoffUrl).searchParams)
  await person.send('/promote/link', { ...choice, link: privateLink })
  const order = await person.send('/promote/checkout', {
    ...choice,
    amount: String(quote.chargeAmountCents),
    rules: CONTRACT_VERSION,
  })
  const paymentPage = addressIn(await person.open(order), /href="([^"]*\/sandbox\/pay\/[^"]*)"/)
  const behindTheScenes = addressIn(await person.open(paymentPage), /href="([^"]*\/sandbox\/sessions\/[^"]*)"/)
  await person.send(paymentPage, { act: 'pay' })
  return behindTheScenes
}

function addressIn(html: string, pattern: RegExp): string {
  const address = pattern.exec(html)?.[1]
  if (!address) throw new Error(`a page of the checkout leads nowhere: ${pattern.source} is not on it`)
  return address
}
