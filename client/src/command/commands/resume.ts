import { serviceAddress } from '../../service/address.ts'
import { listSubmissions } from '../../submissions/recover.ts'
import type { Command } from '../context.ts'
import { exitCodeOf, failureText, publicationJson } from '../print.ts'

export const resume: Command = {
  name: 'resume',
  positionals: [],
  options: ['service', 'journal', 'wait'],
  summary: 'send every unfinished submission again',
  details: [
    'Sends what a crash, a lost answer or a limit left unfinished, with its own',
    'keys. Nothing new is published: each submission was approved when it was made.',
    'The exit code is that of the worst outcome.',
  ],
  example: 'placard-agent resume',
  async run(context) {
    const services = context.has('service')
      ? [serviceAddress(context.service())]
      : [...new Set((await listSubmissions(context.store())).map(({ service }) => service))]
    const all = []
    for (const service of services) all.push(...(await context.client(service).resume()))
    const text = all.flatMap(({ destination, publication, error }) =>
      publication
        ? [`${destination}: ${publication.receipt.status}. ${publication.receipt.productUrl}`]
        : [`${destination}: ${error ? failureText(error) : ''}`],
    )
    const isWaiting = all.some(({ error }) => error && error.kind !== 'refused')
    return {
      text: text.length > 0 ? text : ['There are no unfinished submissions.'],
      json: all.map(({ publication, ...rest }) => ({ ...rest, ...(publication && publicationJson(publication)) })),
      exitCode: Math.max(0, ...all.map(({ error }) => (error ? exitCodeOf(error) : 0))),
      // Not the list: it names this command while a refused submission is kept.
      ...(isWaiting && { next: 'placard-agent resume' }),
    }
  },
}
