import { asPlacardError, usageError } from '../../error.ts'
import { listSubmissions } from '../../submissions/recover.ts'
import type { Command } from '../context.ts'
import { readSubmission } from '../read-arguments.ts'

export const link: Command = {
  name: 'link',
  positionals: ['[DESTINATION]'],
  options: ['show-secret-link', 'service', 'journal', 'wait'],
  summary: 'show the private link of a listing, for the customer only',
  details: [
    'Anyone with this link can manage the listing. It is printed only at a',
    'terminal, where a person reads it; --show-secret-link prints it anywhere. If',
    'the service cannot be reached, the link comes from the journal.',
  ],
  example: 'placard-agent link shop.example',
  async run(context) {
    const { service, destination } = await readSubmission(context)
    if (!context.io.stdout.isTTY && !context.has('show-secret-link')) throw forPeopleOnly()
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
      text: [`Private link of ${destination}. Anyone with it can manage the listing:`, privateLink],
      json: { destination, service, privateLink },
    }
  },
}

const forPeopleOnly = () =>
  usageError(
    'not_a_terminal',
    'The private link was not printed, because the output is not a terminal.',
    'Let the customer run this in a terminal. If no model and no log can read the output, add --show-secret-link.',
  )

const noLink = (destination: string, state: string) =>
  usageError(
    'no_link',
    `There is no private link of ${destination} now: it is ${state}.`,
    'Only a published listing has one. For its state, run placard-agent status.',
  )
