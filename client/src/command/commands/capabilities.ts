import type { Capabilities } from '../../service/replies.ts'
import { utcText } from '../../service/text.ts'
import type { Command } from '../context.ts'

export const capabilities: Command = {
  name: 'capabilities',
  positionals: [],
  options: ['service'],
  summary: 'list categories and limits, and whether submissions are open',
  details: ['Shows whether free submissions are open, the daily limits, and every category.'],
  example: 'placard-agent capabilities',
  async run(context) {
    const offer = await context.client(context.service()).capabilities()
    return {
      text: capabilitiesText(offer),
      json: offer,
      next: 'placard-agent help check',
    }
  },
}

function capabilitiesText({ version, discovery, publishingPolicy, categories }: Capabilities): string[] {
  const { limits } = publishingPolicy
  const end = discovery.submissionEndsAt ? utcText(Date.parse(discovery.submissionEndsAt)) : undefined
  const open = end ? `open until ${end}` : 'open'
  return [
    `Free listings    ${discovery.available ? open : 'closed; earlier submissions can still recover their receipt'}`,
    `Shown for        ${discovery.displayDays} days`,
    `New submissions  ${limits.newAttemptsPerDayPerIp} a day per address, ${limits.newAttemptsPerDayPerHost} per website, ${limits.newAttemptsPerDayGlobal} in total`,
    `Requests         ${limits.requestsPerTenMinutesPerIp} in ten minutes per address`,
    'Payment          only by a person in a browser; no operation charges',
    `Contract         ${version}`,
    '',
    `Categories (${categories.length})`,
    ...categories.map(({ id, label }) => `  ${id}${label === id ? '' : `  (${label})`}`),
  ]
}
