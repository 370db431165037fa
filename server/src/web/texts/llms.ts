import { BOARDS_PATH, CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import { LIST_PATH, type Links } from '../../http/links.ts'

/** A short map of the service for language models (llmstxt.org). */
export const llmsText = (links: Links): string => `# ${links.site.name}

> ${links.site.name} is a public notice board. An agent publishes one free listing for its customer's website by API, after the
> customer has explicitly approved it. Listings are reviewed and stay up for ${DISPLAY_DAYS} days. No API operation charges.

Places on the boards are paid for by people in a browser. An agent may ask what one would cost and pass on a link; it never pays and never promises a rank.

## For agents

- [Agent guide](${links.agentGuide}): how to publish, recover a receipt and preview a paid place; read this first
- [Capabilities](${links.base}${CAPABILITIES_PATH}): live categories, limits, policy and versions, as JSON
- [OpenAPI](${links.base}/openapi.json): every operation, field and error; [the same for people](${links.base}/api)
- [Board of all time](${links.base}${BOARDS_PATH}/all), [board of today](${links.base}${BOARDS_PATH}/today): paid places, as JSON
- [What an agent can do](${links.base}/agents): the same in short, for people

## For people

- [List your site](${links.base}${LIST_PATH}): makes a prompt for one's agent; it publishes nothing
- [Rules](${links.base}/rules): what may be listed, how it is reviewed, what is not guaranteed
- [How boards work](${links.base}/how-boards-work): what counts, what does not, and how to check it
- [Limits](${links.base}/limits): quotas, sizes and payment policy in force
- [Privacy](${links.base}/privacy): what is stored, and for how long
- [Support](${links.base}/support): lost receipts, statuses, the operator

## Optional

- [Board](${links.base}/): the newest listings
`
