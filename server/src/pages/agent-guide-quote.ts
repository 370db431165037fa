import { MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD, QUOTE_LIFETIME_MS, QUOTE_PATH } from '@placard/contract'
import type { Links } from '../http/links.ts'

/** The part of the agent guide about paid places. */
export const quoteGuide = (links: Links): string => `## 7. Preview a paid place

Only if the customer asks what a place on a board would cost. It needs no credentials, fetches nothing, orders nothing
and reserves nothing.

\`\`\`sh
curl -sS -H 'Content-Type: application/json' ${links.base}${QUOTE_PATH} \\
  --data '{"destination":"https://www.your-customer.com/","category":"Developer Tools","board":"all","targetBid":25}'
\`\`\`

- \`board\`: \`all\`, or \`today\`, which starts anew at midnight UTC.
- \`targetBid\`: the total wanted on that board in whole US dollars, ${MINIMUM_TARGET_USD} to ${MAXIMUM_TARGET_USD}.
- \`chargeAmountCents\` in the answer: what would be due now, after verified earlier payments are taken off.
- \`estimatedRank\`: a careful guess, not a reserved position. An amount is bought, never a rank.
- \`expiresAt\`: at most ${QUOTE_LIFETIME_MS / 60_000} minutes ahead, and never past midnight UTC.
- \`handoffUrl\`: give it to the customer. It authorises no payment.

The customer opens \`handoffUrl\` in a browser, sees the price of that moment, shows that the website is theirs (with the
private link, or with a token on the website), agrees to the rules and pays at the payment processor. You cannot do this
for them. A website that is not listed yet is reviewed first, and listed once it is paid.
`
