import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import { credentials, publishBody } from '../requests.ts'

/** One submission with all that was ever answered to it. */
export interface Submission {
  host: string
  headers: Record<string, string>
  body: string
  answers: Answer[]
}

interface Answer {
  status: number
  text: string
}

/** Longer than any honest wait: 10 s for a repeat, and as long for a database that hangs. */
const TIMEOUT_MS = 40_000
/** As long as a dead process holds what it had begun, and some more. */
const SETTLE_MS = 90_000
const LANES = 8
const HONEST = new Set([200, 201, 409, 429, 503])
const FINAL = new Set([200, 201, 409, 429])

/** Every submission and every answer, to be judged at the end. */
export class History {
  readonly submissions: Submission[] = []
  /** Requests without an answer: refused, cut off, or too late. */
  unanswered = 0
  readonly #prefix: string

  /** @param prefix of hosts, so that two histories share none */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** A new submission, of a new host unless one is given. `client` is whom a trusted proxy names. */
  submission({
    host = `${this.#prefix}-${this.submissions.length}.com`,
    client,
  }: {
    host?: string
    client?: string
  } = {}): Submission {
    const headers = { ...credentials(), ...(client && { 'x-forwarded-for': client }) }
    const made = { host, headers, body: publishBody(`http://${host}/`), answers: [] }
    this.submissions.push(made)
    return made
  }

  /** @returns undefined where nothing was answered: then whoever sent it knows nothing */
  async send(url: string, submission: Submission): Promise<Answer | undefined> {
    try {
      const { headers, body } = submission
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const response = await fetch(url + PUBLISH_PATH, { method: 'POST', headers, body, signal })
      const answer = { status: response.status, text: await response.text() }
      submission.answers.push(answer)
      return answer
    } catch {
      this.unanswered++
      return undefined
    }
  }

  /** Sends everything again until each has its final answer, then once more to the other instance. */
  async settle(urls: readonly string[]): Promise<void> {
    const giveUpAt = performance.now() + SETTLE_MS
    const waiting = [...this.submissions.entries()]
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [number, submission] = next
        const at = (turn: number) => urls[(number + turn) % urls.length] ?? ''
        for (let turn = 0; performance.now() < giveUpAt; turn++) {
          const answer = await this.send(at(turn), submission)
          if (answer && FINAL.has(answer.status)) break
          await sleep(500)
        }
        await this.send(at(1), submission)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  /** How often each status was answered. */
  counts(): string {
    const counts = new Map<number, number>()
    for (const { status } of this.submissions.flatMap(each => each.answers)) {
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    const words = [...counts].sort(([one], [other]) => one - other).map(([status, n]) => `${n} × ${status}`)
    return [...words, `${this.unanswered} unanswered`].join(', ')
  }

  /** How many were published, as their last answer says. */
  published(): number {
    return this.submissions.filter(({ answers }) => answers.at(-1)?.status === 200).length
  }

  /** What must never be, after `settle`; empty if all is well. */
  faults(): string[] {
    const owners = Map.groupBy(
      this.submissions.filter(({ answers }) => answers.some(({ status }) => status < 300)),
      ({ host }) => host,
    )
    const stolen = [...owners].flatMap(([host, all]) =>
      all.length > 1 ? `${host} is of ${all.length} keys` : [],
    )
    return [...this.submissions.flatMap(faultsOf), ...stolen]
  }
}

function faultsOf({ host, answers }: Submission): string[] {
  const faults: string[] = []
  const receipts = answers.filter(({ status }) => status < 300)
  const odd = answers.find(({ status }) => !HONEST.has(status))
  if (odd) faults.push(`${host} was answered ${odd.status} ${odd.text}`)
  if (receipts.filter(({ status }) => status === 201).length > 1) faults.push(`${host} was published twice`)
  if (new Set(receipts.map(({ text }) => text)).size > 1) faults.push(`${host} has receipts that differ`)
  const last = answers.at(-1)?.status ?? 0
  if (!FINAL.has(last)) faults.push(`${host} never got a final answer, at last ${last}`)
  // A 429 may heal, a receipt and a 409 stay what they are.
  if (receipts.length > 0 && last !== 200) faults.push(`${host} had a receipt, and then ${last}`)
  return faults
}
