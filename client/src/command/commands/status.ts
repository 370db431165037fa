import { shellWord } from '../../service/text.ts'
import type { SubmissionStatus } from '../../submissions/recover.ts'
import type { Command, Context } from '../context.ts'
import { decisionText, receiptText, stateText } from '../print.ts'
import { readSubmission } from '../read-arguments.ts'

export const status: Command = {
  name: 'status',
  positionals: ['[DESTINATION]'],
  options: ['service', 'journal', 'wait'],
  summary: 'show a submission and its listing now',
  details: [
    'Asks the service by repeating the submission from the journal, so it needs no',
    'category and no secret. A host name is enough. If the journal has only one',
    'submission, you can leave it out. The state of a postponed or refused submission',
    'comes from the journal.',
  ],
  example: 'placard-agent status shop.example',
  async run(context) {
    const { service, destination } = await readSubmission(context)
    const found = await context.client(service).status(destination)
    return { text: statusText(found, context), json: found, next: nextOf(found) }
  },
}

function statusText(found: SubmissionStatus, context: Context): string[] {
  const { receipt, privateLink } = found
  const what = [`${found.destination} in "${found.category}" at ${found.service}`, '']
  const about = decisionText(found)
  const more = about.length > 0 ? ['', ...about] : []
  if (found.state !== 'accepted' || !receipt) return [...what, stateText(found), ...more]
  const publication = { receipt, replayed: true, ...(privateLink && { privateLink }) }
  return [...what, ...receiptText(publication, context.store().name), ...more]
}

function nextOf({ state, destination, category, decisionId, receipt }: SubmissionStatus): string | undefined {
  const word = shellWord(destination)
  if (state === 'accepted' && decisionId !== undefined) return `placard-agent decision ${word}`
  if (state === 'refused') return `placard-agent check ${word} --category ${shellWord(category)}`
  if (state !== 'accepted') return 'placard-agent resume'
  return receipt?.status === 'published' ? `placard-agent link ${word}` : undefined
}
