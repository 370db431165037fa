import { setTimeout as sleep } from 'node:timers/promises'
import { publish, type Sent } from '../../bench/requests.ts'

/** One submission with all that was ever answered to it. */
export interface Submission {
  host: string
  request: Sent
  answers: { status: number; text: string }[]
}

/** As long as a dead process holds what it had begun, and some more. */
const SETTLE_MS = 90_000
const LANES = 8
const HONEST = new Set([200, 201, 409, 429, 503])
const FINAL = new Set([200, 201, 409, 429])

/** Longer than any honest wait: 10 s for a repeat, and as long for a database that hangs. */
const TIMEOUT_MS = 40_000

/** @returns undefined without an answer: refused, cut off, or too late */
export async function send(url: string, post: Sent): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(url + post.path, { ...post, signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

/** Every submission and every answer, to be judged at the end. */
export class History {
  readonly submissions: Submission[] = []
  /** Requests without an answer: refused, cut off, or too late. */
  unanswered = 0

  /** A new submission, of a new host unless one is given. `client` is what a trusted proxy names. */
  submission({ host = `site-${this.submissions.length}.com`, client = '127.0.0.1' } = {}): Submission {
    const request = publish(`http://${host}/`)
    request.headers['x-forwarded-for'] = client
    const submission = { host, request, answers: [] }
    this.submissions.push(submission)
    return submission
  }

  /** @returns the status; undefined without an answer */
  async send(url: string, { request, answers }: Submission): Promise<number | undefined> {
    const answer = await send(url, request)
    if (answer) answers.push(answer)
    else this.unanswered++
    return answer?.status
  }

  /** Sends everything again until each has its final answer, then once more to the other instance. */
  async settle(urls: readonly string[]): Promise<void> {
    await inLanes(LANES, this.submissions, async (submission, nth) => {
      // For each: on a slow machine, all of them take longer than that.
      const giveUpAt = performance.now() + SETTLE_MS
      const at = (turn: number) => urls[(nth + turn) % urls.length] ?? ''
      for (let turn = 0; performance.now() < giveUpAt; turn++) {
        if (FINAL.has((await this.send(at(turn), submission)) ?? 0)) break
        await sleep(500)
      }
      await this.send(at(1), submission)
    })
  }

  /** How often each status was answered. */
  counts(): string {
    const answers = this.submissions.flatMap(each => each.answers)
    const counts = Object.entries(Object.groupBy(answers, ({ status }) => status))
    const words = counts.map(([status, all]) => `${all?.length} × ${status}`)
    return [...words, `${this.unanswered} unanswered`].join(', ')
  }

  /** How many have a receipt. */
  published(): number {
    return this.submissions.filter(({ answers }) => answers.some(({ status }) => status < 300)).length
  }

  /** What must never be, after `settle`; empty if all is well. */
  faults(): string[] {
    const accepted = this.submissions.filter(({ answers }) => answers.some(({ status }) => status < 300))
    const owners = Object.entries(Object.groupBy(accepted, ({ host }) => host))
    const stolen = owners.filter(([, all = []]) => all.length > 1).map(([host]) => `${host} has several keys`)
    return [...this.submissions.flatMap(faultsOf), ...stolen]
  }
}

function faultsOf({ host, answers }: Submission): string[] {
  const receipts = answers.filter(({ status }) => status < 300)
  const odd = answers.find(({ status }) => !HONEST.has(status))
  const last = answers.at(-1)?.status ?? 0
  const faults: [isWrong: boolean, what: string][] = [
    [odd !== undefined, `was answered ${odd?.status} ${odd?.text}`],
    [receipts.filter(({ status }) => status === 201).length > 1, 'was published twice'],
    [new Set(receipts.map(({ text }) => text)).size > 1, 'has receipts that differ'],
    [!FINAL.has(last), `never got a final answer, at last ${last}`],
    // A 429 may heal, a receipt and a 409 stay what they are.
    [receipts.length > 0 && last !== 200, `had a receipt, and then ${last}`],
  ]
  return faults.flatMap(([isWrong, what]) => (isWrong ? [`${host} ${what}`] : []))
}

type Work<T> = (each: T, nth: number) => Promise<unknown>

/** Works through a list, so many at once. */
export async function inLanes<T>(lanes: number, all: readonly T[], work: Work<T>): Promise<void> {
  const waiting = [...all.entries()]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next[1], next[0])
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
