import type { Check } from '../../service/replies.ts'
import { shellWord, utcText } from '../../service/text.ts'
import type { Command, Context, Result } from '../context.ts'
import { inCommandWords } from '../print.ts'
import { categoryOf, destinationOf } from '../read-arguments.ts'

export const check: Command = {
  name: 'check',
  positionals: ['DESTINATION'],
  options: ['category', 'service'],
  summary: 'preview the reply to a publish, without publishing',
  details: [
    'The service reads and reviews the page as for a publish, but it lists and',
    'reserves nothing and uses up no submission. No approval is needed.',
    '`publish --dry-run` does the same. The exit code is 1 if it would be refused.',
  ],
  example: 'placard-agent check https://shop.example --category "Developer Tools"',
  run: checked,
}

/** Runs the check, for `check` and `publish --dry-run`. */
export async function checked(context: Context): Promise<Result> {
  const request = { destination: destinationOf(context), category: categoryOf(context) }
  const answer = await context.client(context.service()).check(request)
  const again = `placard-agent publish ${shellWord(request.destination)} --category ${shellWord(request.category)}`
  return {
    text: checkText(answer),
    json: answer,
    exitCode: answer.wouldPublish ? 0 : 1,
    ...(answer.wouldPublish && { next: again }),
  }
}

function checkText({ publishReply, listing, alreadyListed, remaining, remainingUntil, ...answer }: Check): string[] {
  const { status, code, reason, error, retryAfterSeconds } = publishReply
  const why = [status, code, reason].filter(Boolean).join(' ')
  return [
    answer.wouldPublish
      ? `A publish of ${answer.destination} would be accepted.`
      : `A publish of ${answer.destination} would be refused: ${inCommandWords(error ?? why)} (${why})`,
    ...(retryAfterSeconds
      ? [`A publish would have to wait until ${utcText(Date.now() + retryAfterSeconds * 1000)}.`]
      : []),
    '',
    ...(listing
      ? [
          `Title        ${listing.title}`,
          `Description  ${listing.description || '(none)'}`,
          `Picture      ${listing.imageUrl ?? '(one is drawn)'}`,
          '',
        ]
      : []),
    ...(alreadyListed ? [`Already listed  ${alreadyListed.productUrl ?? alreadyListed.status}`, ''] : []),
    `Remaining until ${utcText(remainingUntil)}`,
    `  submissions  ${remaining.newAttemptsPerDayPerIp} of this address, ${remaining.newAttemptsPerDayPerHost} of this website, ${remaining.newAttemptsPerDayGlobal} in total`,
    `  checks       ${remaining.checksPerDayPerIp} of this address, ${remaining.checksPerDayPerHost} of this website`,
    '',
    answer.notice,
  ]
}
