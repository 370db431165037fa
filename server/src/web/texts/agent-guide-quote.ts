import {
  BOARDS_PATH,
  MAXIMUM_TARGET_USD,
  MINIMUM_TARGET_USD,
  QUOTE_LIFETIME_MS,
  QUOTE_PATH,
} from '@placard/contract'
import type { Links } from '../../http/links.ts'

/** The part of the agent guide about paid places. */
export const quoteGuide = (links: Links): string => `## 9. Preview a paid place

Do this only if the customer asks what a place on a board would cost. A quote needs no credentials, fetches nothing,
orders nothing and reserves nothing.

\`\`\`sh
curl -sS -H 'Content-Type: application/json' ${links.base}${QUOTE_PATH} \\
  --data '{"destination":"https://www.your-customer.com/","category":"Developer Tools","board":"all","targetBid":25}'
\`\`\`

- \`board\`: \`all\`, or \`today\`, which resets at midnight UTC.
- \`targetBid\`: the total wanted on that board in whole US dollars, ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD}.
- \`chargeAmountCents\` in the reply: what would be due now, minus verified earlier payments.
- \`estimatedRank\`: a conservative estimate, not a reserved position. People buy an amount, never a rank.
- \`expiresAt\`: at most ${QUOTE_LIFETIME_MS / 60_000} minutes ahead, and never past midnight UTC.
- \`handoffUrl\`: give it to the customer. It authorises no payment.

You may quote, read the boards, and give the customer the hand-off link. You may not pay, store or enter card data, or
promise a rank: anyone may pay more later. Only people buy places, and every place is labelled as paid.

The customer opens \`handoffUrl\` in a browser, sees the current price, proves that they own the website (with the
private link, or with a token on the website), agrees to the rules and pays at the payment processor. You cannot do
this for them. A website that is not listed yet is reviewed first, and listed once it is paid.

The boards are public data, and you may cache them for ten seconds:

\`\`\`sh
curl -sS '${links.base}${BOARDS_PATH}/all?limit=10'
curl -sS ${links.base}${BOARDS_PATH}/today
\`\`\`

${links.base}/how-boards-work explains what a total is, and what does not count.
`
