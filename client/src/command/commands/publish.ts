import { serviceAddress } from '../../service/address.ts'
import { shellWord } from '../../service/text.ts'
import { checkSpelling } from '../../spelling.ts'
import { approvedBefore } from '../../submissions/publish.ts'
import { approvalOf } from '../approval.ts'
import type { Command } from '../context.ts'
import { publicationJson, receiptText } from '../print.ts'
import { categoryOf, destinationOf } from '../read-arguments.ts'
import { checked } from './check.ts'

export const publish: Command = {
  name: 'publish',
  positionals: ['DESTINATION'],
  options: ['category', 'user-approved', 'ask-as', 'approved-by', 'dry-run', 'service', 'journal', 'wait'],
  summary: 'publish one free listing, after the customer’s yes',
  details: [
    'Shows what will be public, and asks. Only the customer may say yes. A request',
    'for launch ideas is not a yes. --user-approved skips the question, for an',
    'agent whose customer already said yes. The yes is recorded in the journal.',
    '--ask-as prints the address of a page for the customer, and waits until they',
    'have answered there. It needs no terminal.',
    '',
    'Key, secret and body are saved in the journal before they are sent. After any',
    'failure, run the same command again, or `placard-agent resume`: it sends the',
    'same submission until the service accepts or finally refuses it. Afterwards,',
    'the same command returns the receipt again. The private link that manages the',
    'listing stays in the journal: `placard-agent link` shows it to a person.',
  ],
  example: 'placard-agent publish https://shop.example --category "Developer Tools"',
  async run(context) {
    if (context.has('dry-run')) return checked(context)
    const wanted = {
      service: serviceAddress(context.service()),
      destination: destinationOf(context),
      category: categoryOf(context),
    }
    let approval = await approvedBefore(context.store(), wanted)
    if (!approval) {
      if (!context.has('user-approved')) checkSpelling(wanted)
      approval = await approvalOf(context, wanted)
    }
    const { destination, category } = wanted
    const publication = await context
      .client(wanted.service)
      .publish({ destination, category, userApproved: true, approval })
    const word = shellWord(destination)
    const isLive = publication.receipt.status === 'published'
    return {
      text: receiptText(publication, context.store().name),
      // The receipt's own fields stay at the top, as they were in the first versions.
      json: { ...publication.receipt, ...publicationJson(publication) },
      next: isLive ? `placard-agent link ${word}` : `placard-agent status ${word}`,
    }
  },
}
