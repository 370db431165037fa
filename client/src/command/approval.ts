import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { APPROVAL_LIFETIME_MS } from '@placard/contract/plain'
import type { PlacardClient } from '../client.ts'
import { asPlacardError, usageError } from '../error.ts'
import { approvalText, approvalWords, isAppeal, type Wish } from '../submissions/approval-text.ts'
import type { Approval } from '../submissions/record.ts'
import type { Wanted } from '../submissions/submission.ts'
import type { Context } from './context.ts'

/**
 * Returns the customer's approval: from `--user-approved`, by asking in a browser with `--ask-as`, or by asking at the
 * terminal. Throws `declined` and `approval_required`.
 */
export async function approvalOf(context: Context, wish: Wish): Promise<Approval> {
  const name = context.value('approved-by')
  const by = name === undefined ? {} : { by: name }
  if (context.has('user-approved')) return { how: '--user-approved', ...by }
  const agent = context.value('ask-as')
  if (agent !== undefined && !isAppeal(wish)) return { ...(await askInBrowser(context, wish, agent)), ...by }
  await askForApproval(context, wish)
  return { how: 'asked in the terminal', ...by }
}

/**
 * Shows the facts on stderr, and asks at the terminal. Throws `declined` unless the answer is yes, and
 * `approval_required` if there is no terminal to ask at.
 *
 * @param expected what the person must type instead of yes, which a program would not type by habit
 */
export async function askForApproval({ io }: Context, wish: Wish, expected?: string): Promise<void> {
  const { stdin, stderr } = io
  if (!stdin.isTTY || !stderr.isTTY) throw approvalRequired(wish)
  const { toAct, nothing } = approvalWords(wish)
  stderr.write(
    `${approvalText(wish).join('\n')}\n\nOnly the customer may say yes. Type ${expected ?? 'yes'} to ${toAct}: `,
  )
  const line = await nextLine(stdin)
  // Ctrl-D leaves the cursor behind the question.
  if (line === undefined) stderr.write('\n')
  const answer = (line ?? '').trim().toLowerCase()
  if (expected === undefined ? !/^y(es)?$/.test(answer) : answer !== expected) {
    throw usageError('declined', `${nothing}.`, 'Run the same command again once the customer agrees.')
  }
}

/** Prints the address where the customer answers, and waits for the answer as long as it can be given. */
async function askInBrowser(context: Context, wanted: Wanted, agent: string): Promise<Approval> {
  const { service, destination, category } = wanted
  const client = context.client(service)
  const { code, approvalUrl } = await client.askApproval({ destination, category, agent })
  context.io.stderr.write(`Give this address to the customer, who approves or declines there:\n${approvalUrl}\n`)
  const status = await answerOf(client, code)
  if (status === 'approved') return { how: 'approved in a browser', code }
  const isNo = status === 'declined'
  throw usageError(
    isNo ? 'declined' : 'approval_required',
    isNo ? 'The customer declined. Nothing was published.' : 'The customer did not answer in time.',
    'Run the same command again only if the customer wants it.',
  )
}

/** The shortest time between two questions. The site answers at once if too many wait, or a proxy dropped the header. */
const PAUSE_MS = 2000

/** Waits for the customer's answer, also through limits and failures: the customer still has the address. */
async function answerOf(client: PlacardClient, code: string): Promise<string> {
  const startedMs = performance.now()
  for (;;) {
    const askedMs = performance.now()
    let waitMs = PAUSE_MS
    try {
      const { status } = await client.approval(code)
      if (status !== 'waiting') return status
    } catch (thrown) {
      const error = asPlacardError(thrown, 'unknown')
      const isTemporary = error.kind === 'postponed' || error.kind === 'unknown'
      waitMs = Math.max(waitMs, (error.retryAfterSeconds ?? 0) * 1000)
      if (!isTemporary || performance.now() - startedMs + waitMs > APPROVAL_LIFETIME_MS) throw error
    }
    await sleep(Math.max(0, waitMs - (performance.now() - askedMs)))
  }
}

const approvalRequired = (wish: Wish) =>
  usageError(
    'approval_required',
    `This needs the customer’s approval, and there is no terminal to ask at: ${approvalWords(wish).about}.`,
    isAppeal(wish)
      ? ASK_FIRST
      : `${ASK_FIRST} With --ask-as NAME, publish asks them in a browser, under that name of yours.`,
    'userApproved',
  )

const ASK_FIRST =
  'Ask the customer first, with exactly these facts. Add --user-approved only after an explicit yes, or let the customer run the command in a terminal.'

/** Returns the next line, or undefined at the end of the input. */
function nextLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  return new Promise(resolve => {
    const reader = createInterface({ input })
    reader.once('line', line => {
      resolve(line)
      reader.close()
    })
    reader.once('close', () => resolve(undefined))
  })
}
