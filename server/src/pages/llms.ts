import { CAPABILITIES_PATH, DISPLAY_DAYS } from '@placard/contract'
import type { Links } from '../http/links.ts'

/** A short map of the service for language models (llmstxt.org). */
export const llmsText = (links: Links): string => `# Placard

> Placard is a public notice board. An agent publishes one free listing for its customer's website by API, after the
> customer has explicitly approved it. Listings are reviewed and stay up for ${DISPLAY_DAYS} days. No API operation charges.

## For agents

- [Agent guide](${links.agentGuide}): how to publish, recover a receipt and preview a paid place; read this first
- [Capabilities](${links.base}${CAPABILITIES_PATH}): live categories, limits, policy and versions, as JSON
- [OpenAPI](${links.base}/openapi.json): every operation, field and error

## For people

- [Rules](${links.base}/rules): what may be listed, how it is reviewed, what is not guaranteed
- [Support](${links.base}/support): lost receipts, statuses, the operator

## Optional

- [Board](${links.base}/): the newest listings
`
