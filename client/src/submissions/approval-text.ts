import { DISPLAY_DAYS } from '@placard/contract/plain'
import { plain } from '../service/text.ts'
import type { Wanted } from './submission.ts'

/** An appeal that needs the customer's approval. `website` is what the decision is about. */
interface WantedAppeal {
  service: string
  website: string
  decisionId: string
  statement: string
}

export type Wish = Wanted | WantedAppeal

export const isAppeal = (wish: Wish): wish is WantedAppeal => 'statement' in wish

/** Returns the lines that the customer is asked to approve. */
export const approvalText = (wish: Wish): string[] => (isAppeal(wish) ? appealText(wish) : publishText(wish)).map(plain)

const publishText = ({ destination, category, service }: Wanted): string[] => [
  'This publishes a free listing on a public site:',
  '',
  `  Destination  ${destination}`,
  `  Category     ${category}`,
  `  Site         ${service} (public, for ${DISPLAY_DAYS} days)`,
  `  Terms        ${service}/rules`,
]

const appealText = ({ service, website, decisionId, statement }: WantedAppeal): string[] => [
  'This appeals a decision, once, in your own words:',
  '',
  `  Decision   ${decisionId} about ${website}`,
  `  Site       ${service} (the people who run it read your statement)`,
  `  Statement  ${statement}`,
]

/** Returns the words that ask for approval of a listing or an appeal. */
export const approvalWords = (wish: Wish) =>
  isAppeal(wish)
    ? {
        toAct: 'send it',
        act: 'appeal',
        nothing: 'No appeal was sent',
        about: `appeal once, with the statement “${plain(wish.statement)}”, the decision ${wish.decisionId} about ${wish.website} at ${wish.service}`,
        form: { title: 'Send this appeal', description: 'It can be sent once.' },
      }
    : {
        toAct: 'publish',
        act: 'publish',
        nothing: 'Nothing was published',
        about: `list ${wish.destination} in the category "${wish.category}" on the public site ${wish.service} for ${DISPLAY_DAYS} days, by the terms at ${wish.service}/rules`,
        form: { title: 'Publish this listing', description: 'It becomes public at once.' },
      }
