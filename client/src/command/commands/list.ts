import { listSubmissions } from '../../submissions/recover.ts'
import type { Command } from '../context.ts'
import { decisionText, stateText } from '../print.ts'
import { ofService } from '../read-arguments.ts'

export const list: Command = {
  name: 'list',
  positionals: [],
  options: ['service', 'journal'],
  summary: 'list every submission in the journal with its state',
  details: [
    'Contacts no service: it shows the last known state. With --service, it',
    'shows only the submissions to that site.',
  ],
  example: 'placard-agent list',
  async run(context) {
    const shown = ofService(context, await listSubmissions(context.store()))
    const isUnfinished = shown.some(({ state }) => state === 'unknown' || state === 'postponed')
    const text = shown.flatMap(one => [
      `${one.destination}  (${one.category}, ${one.service})`,
      `  ${stateText(one)}`,
      ...decisionText(one).map(line => `  ${line}`),
    ])
    return {
      text: text.length > 0 ? text : [`The journal ${context.store().name} holds no submission.`],
      json: shown,
      ...(text.length === 0 && { next: 'placard-agent capabilities' }),
      ...(isUnfinished && { next: 'placard-agent resume' }),
    }
  },
}
