import { DISPLAY_DAYS } from '@placard/contract/plain'
import { plain } from '../service/text.ts'
import type { Wanted } from './submission.ts'

/** An appeal that the customer has to agree to. `website` is what the decision is about. */
export interface WantedAppeal {
  service: string
  website: string
  decisionId: string
  statement: string
}

/** What needs the customer's yes. */
export type Wish = Wanted | WantedAppeal

export const isAppeal = (wish: Wish): wish is WantedAppeal => 'statement' in wish

/** What the customer is asked to approve, in lines. */
export const approvalText = (wish: Wish): string[] => (isAppeal(wish) ? appealText(wish) : publishText(wish)).map(plain)

const publishText = ({ destination, category, service }: Wanted): string[] => [
  'This puts a free listing on a public board:',
  '',
  `  Destination  ${destination}`,
  `  Category     ${category}`,
  `  Board        ${service} (anybody can see it, for ${DISPLAY_DAYS} days)`,
  `  Terms        ${service}/rules`,
]

const appealText = ({ service, website, decisionId, statement }: WantedAppeal): string[] => [
  'This contests a decision, once, in your own words:',
  '',
  `  Decision   ${decisionId} about ${website}`,
  `  Board      ${service} (the people who run it read your statement)`,
  `  Statement  ${statement}`,
]

/** The words in which a yes to one thing or the other is asked for. */
export const approvalWords = (wish: Wish) =>
  isAppeal(wish)
    ? {
        toAct: 'send it',
        act: 'appeal',
        nothing: 'No appeal was sent',
        about: `contest the decision ${wish.decisionId} about ${wish.website} at ${wish.service}, once, with this statement: ${plain(wish.statement)}`,
        form: { title: 'Send this appeal', description: 'It can be sent once.' },
      }
    : {
        toAct: 'publish',
        act: 'publish',
        nothing: 'Nothing was published',
        about: `list ${wish.destination} in the category "${wish.category}" on the public board ${wish.service} for ${DISPLAY_DAYS} days, by the terms at ${wish.service}/rules`,
        form: { title: 'Publish this listing', description: 'It is public at once.' },
      }
