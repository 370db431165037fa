import { setTimeout as sleep } from 'node:timers/promises'
import { SUBMISSION_EVENTS } from '@placard/contract/plain'
import type { PlacardClient } from '../../client.ts'
import { asPlacardError } from '../../error.ts'
import { plain, shellWord, utcText } from '../../service/text.ts'
import type { SubmissionEvents } from '../../submissions/events.ts'
import type { Command, Context } from '../context.ts'
import { failureText } from '../print.ts'
import { readSubmission, WEEK_SECONDS, wholeNumber } from '../read-arguments.ts'

export const watch: Command = {
  name: 'watch',
  positionals: ['[DESTINATION]'],
  options: ['once', 'every', 'cursor', 'service', 'journal', 'wait'],
  summary: 'show what happens to a submission, until its listing ends',
  details: [
    'Shows each event once, oldest first: published, refused, appeal decided, hidden,',
    'restored, claimed by its owner, ends in 7 days, ended. The command ends with the',
    'listing, or on Ctrl-C. It never sends a submission again.',
    '',
    'With --json, each event is one line. To continue after an event, pass its',
    '`cursor` to --cursor. With --once, the command shows what happened so far, and',
    'ends. Use that in a program that runs it from time to time.',
  ],
  example: 'placard-agent watch shop.example --once',
  async run(context) {
    const { service, destination } = await readSubmission(context)
    const every = context.has('every') ? context.value('every') : `${EVERY_SECONDS}`
    const seconds = wholeNumber('--every', every, 'seconds, a week at most', WEEK_SECONDS)
    // It never gives up, so a failure that a retry repairs is no news.
    const client = context.client(service, { isQuiet: !context.has('once') })
    const stop = new AbortController()
    const end = () => stop.abort()
    let isRead = true
    process.once('SIGINT', end)
    context.io.stdout.once?.('error', () => {
      isRead = false
      end()
    })
    try {
      const cursor = await follow(client, destination, seconds, stop.signal, context)
      // The cursor is after events that the reader did not take.
      if (!isRead) return { text: [], json: undefined }
      const from = cursor === undefined ? '' : ` --cursor ${shellWord(cursor)}`
      return { text: [], json: undefined, next: `placard-agent watch ${shellWord(destination)}${from}` }
    } finally {
      process.off('SIGINT', end)
    }
  },
}

const EVERY_SECONDS = 60

/** Shows events until the listing ends or `stop` is aborted. @returns the cursor after the last one */
async function follow(
  client: PlacardClient,
  destination: string,
  seconds: number,
  stop: AbortSignal,
  context: Context,
): Promise<string | undefined> {
  const say = (text: string) => {
    if (!context.has('json')) context.io.stderr.write(`placard-agent: ${text}\n`)
  }
  let cursor = context.value('cursor')
  let failure: string | undefined
  while (!stop.aborted) {
    let waitSeconds = Math.max(1, seconds)
    try {
      const found = await client.events(destination, { signal: stop, ...(cursor !== undefined && { cursor }) })
      if (failure !== undefined) say('The service answers again.')
      failure = undefined
      for (const event of found.events) context.print(eventText(event), event)
      const before = cursor
      cursor = found.nextCursor
      // A cache on the way may give the same page again and again.
      if (found.hasMore && cursor !== before) continue
      if (found.state === 'ended' || context.has('once')) break
    } catch (thrown) {
      if (stop.aborted) break
      const error = asPlacardError(thrown, 'unknown')
      const isTemporary = error.kind === 'postponed' || error.kind === 'unknown'
      if (!isTemporary || context.has('once')) throw error
      if (error.code !== failure) say(`${plain(failureText(error))}\nAsking again until it answers.`)
      failure = error.code
      waitSeconds = Math.min(Math.max(waitSeconds, error.retryAfterSeconds ?? 0), WEEK_SECONDS)
    }
    await sleep(waitSeconds * 1000, undefined, { signal: stop }).catch(() => {})
  }
  return cursor
}

function eventText({ type, at, reason, productUrl, expiresAt }: SubmissionEvents['events'][number]): string[] {
  const known: Record<string, string> = SUBMISSION_EVENTS
  const facts = [reason, expiresAt === undefined ? undefined : utcText(expiresAt), productUrl].filter(Boolean)
  const words = known[type]
  return [[utcText(at), type, ...facts].join('  '), ...(words === undefined ? [] : [`  ${words}`])]
}
