import { createInterface } from 'node:readline'
import { usageError } from '../error.ts'
import { approvalText, approvalWords, type Wish } from '../submissions/approval-text.ts'
import type { Approval } from '../submissions/record.ts'
import type { Context } from './context.ts'

/**
 * The customer's yes: as `--user-approved` says, or after asking at the terminal. Throws `declined` and
 * `approval_required`.
 */
export async function approvalOf(context: Context, wish: Wish): Promise<Approval> {
  const name = context.value('approved-by')
  const by = name === undefined ? {} : { by: name }
  if (context.has('user-approved')) return { how: '--user-approved', ...by }
  await askForApproval(context, wish)
  return { how: 'asked in the terminal', ...by }
}

/**
 * Shows on stderr what it is about, and asks at the terminal. Returns after a yes. Throws `declined` after anything
 * else, and `approval_required` where nobody can be asked.
 */
export async function askForApproval({ io }: Context, wish: Wish): Promise<void> {
  const { stdin, stderr } = io
  if (!stdin.isTTY || !stderr.isTTY) throw approvalRequired(wish)
  const { toAct, nothing } = approvalWords(wish)
  stderr.write(`${approvalText(wish).join('\n')}\n\nOnly the customer may say yes. Type yes to ${toAct}: `)
  const answer = await nextLine(stdin)
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw usageError('declined', `${nothing}.`, 'Run the same command again once the customer agrees.')
  }
}

const approvalRequired = (wish: Wish) =>
  usageError(
    'approval_required',
    `Nobody can be asked here for a yes to this: ${approvalWords(wish).about}.`,
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
