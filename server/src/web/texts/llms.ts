import { DISPLAY_DAYS } from '@placard/contract'
import { type Announced, FOR_AGENTS, FOR_PEOPLE } from '../../announce/facts.ts'
import type { Links } from '../../http/links.ts'

/** A short map of the service for language models (llmstxt.org). */
export const llmsText = ({ base, site }: Links): string => `# ${site.name}

> ${site.name} is a public notice board. An agent publishes one free listing for its customer's website by API, after the
> customer has explicitly approved it. Listings are reviewed and stay up for ${DISPLAY_DAYS} days. No API operation charges.

Places on the boards are paid for by people in a browser. An agent may ask what one would cost and pass on a link; it never pays and never promises a rank.

A refusal, or a listing that was taken down, has a decision with reasons: the header Placard-Decision names it. The customer may contest it once; the agent guide says how.

## For agents

${list(FOR_AGENTS, base)}

## For people

${list(FOR_PEOPLE, base)}

## Optional

- [Board](${base}/): the newest listings
`

const list = (announced: readonly Announced[], base: string): string =>
  announced.map(({ title, path, purpose }) => `- [${title}](${base}${path}): ${purpose}`).join('\n')
