import { asPlacardError, usageError } from '../../error.ts'
import { shellWord } from '../../service/text.ts'
import { listSubmissions } from '../../submissions/recover.ts'
import type { Command } from '../context.ts'
import { theSubmission } from '../words.ts'

export const link: Command = {
  name: 'link',
  words: ['[DESTINATION]'],
  options: ['show-secret-link', 'service', 'journal', 'wait'],
  summary: 'the private link of a listing, for the customer only',
  details: [
    'Whoever has this link manages the listing. It is printed at a terminal only,',
    'where a person reads; --show-secret-link prints it anywhere. If the service',
    'cannot be reached, the link is the one that the journal keeps.',
  ],
  example: 'placard-agent link shop.example',
  async run(context) {
    const { service, destination } = await theSubmission(context)
    if (!context.io.stdout.isTTY && !context.has('show-secret-link')) throw forPeopleOnly(destination)
    const now = await context
      .client(service)
      .status(destination)
      .catch(async (thrown: unknown) => {
        const error = asPlacardError(thrown, 'unknown')
        const kept = (await listSubmissions(context.store())).find(
          one => one.service === service && one.destination === destination,
        )
        if (!kept?.privateLink || error.kind === 'usage') throw error
        return kept
      })
    if (!now.privateLink) throw noLink(destination, now.receipt?.status ?? now.state)
    const privateLink = now.privateLink.reveal()
    return {
      text: [`Private link of ${destination}. Anyone who has it can manage the listing:`, privateLink],
      json: { destination, service, privateLink },
    }
  },
}

const forPeopleOnly = (destination: string) =>
  usageError(
    'not_a_terminal',
    'The private link is for the customer only, and this is no terminal.',
    `Let the customer run it in a terminal, or add --show-secret-link where no model and no log reads along: placard-agent link ${shellWord(destination)}`,
  )

const noLink = (destination: string, state: string) =>
  usageError(
    'no_link',
    `There is no private link of ${destination} now: it is ${state}.`,
    'Only a published listing has one. See placard-agent status.',
  )
