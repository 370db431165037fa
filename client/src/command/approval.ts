import { createInterface } from 'node:readline'
import { DISPLAY_DAYS } from '@placard/contract/plain'
import { usageError } from '../error.ts'
import { approvalText } from '../submissions/approval-text.ts'
import type { Wanted } from '../submissions/submission.ts'
import type { Context } from './context.ts'

/**
 * Shows on stderr what will be public, and asks at the terminal. Returns after a yes. Throws `declined` after anything
 * else, and `approval_required` where nobody can be asked.
 */
export async function askForApproval({ io }: Context, wanted: Wanted): Promise<void> {
  const { stdin, stderr } = io
  if (!stdin.isTTY || !stderr.isTTY) throw approvalRequired(wanted)
  stderr.write(`${approvalText(wanted).join('\n')}\n\nOnly the customer may say yes. Type yes to publish: `)
  const answer = await nextLine(stdin)
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw usageError(
      'declined',
      'Nothing was published.',
      'Run the same command again once the customer agrees.',
    )
  }
}

const approvalRequired = (wanted: Wanted) =>
  usageError(
    'approval_required',
    `Nobody can be asked here for a yes to this: list ${wanted.destination} in the category "${wanted.category}" on the public board ${wanted.service} for ${DISPLAY_DAYS} days, by the terms at ${wanted.service}/rules.`,
    'Ask the customer first, with exactly these facts. Only after an explicit yes, add --user-approved; or let the customer run the command in a terminal.',
    'userApproved',
  )

function nextLine(input: NodeJS.ReadableStream): Promise<string> {
  return new Promise(resolve => {
    const reader = createInterface({ input })
    reader.once('line', line => {
      resolve(line)
      reader.close()
    })
    reader.once('close', () => resolve(''))
  })
}
