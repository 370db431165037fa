import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE, quote } from '../../bench/requests.ts'
import { History, send } from './history.ts'
import type { Instances, Outcome } from './instances.ts'
import { Money } from './money.ts'

const PUBLISHERS = 6
/** Of a website that no one pays for. */
const UNPAID = quote({ ...QUOTE, destination: 'https://unpaid.com/', targetBid: 100 })
const UNPAID_CENTS = 10_000

/**
 * Sends publishes, payment events and quotes to all instances without a pause while a fault is caused: nothing that was
 * answered may be lost or doubled.
 *
 * @param cause gives its own figures and faults
 * @param unansweredMax how many publishes may remain without an answer
 * @param pauseMs between the requests of a client, so that a long fault leaves no more than can be repeated afterwards
 */
export async function underLoad(
  instances: Instances,
  cause: (history: History) => Promise<Outcome>,
  { unansweredMax = Number.POSITIVE_INFINITY, pauseMs = 0 } = {},
): Promise<Outcome> {
  const { urls } = instances
  const [history, money, stop] = [new History(), new Money(), new AbortController()]
  const [wrongQuotes, anyUrl] = [[] as string[], () => urls[Math.floor(Math.random() * urls.length)] ?? '']
  let quotes = 0
  await instances.withStore(store => money.open(store))

  /** New ones, the same to all instances at once, another key for a known host, or a repeat. */
  const publishAny = async () => {
    const kind = Math.random()
    const known = history.submissions[Math.floor(Math.random() * history.submissions.length)]
    if (kind < 0.5 || !known) return history.send(anyUrl(), history.submission())
    if (kind < 0.8) return history.send(anyUrl(), known)
    const next = history.submission(kind < 0.9 ? { host: known.host } : {})
    const answers = await Promise.all(urls.map(url => history.send(url, next)))
    return answers.find(answer => answer)
  }
  const quoteUnpaid = async () => {
    const { status, text = '' } = (await send(anyUrl(), UNPAID)) ?? {}
    if (status === undefined) return undefined
    const isRight = status === 200 && JSON.parse(text).chargeAmountCents === UNPAID_CENTS
    if (!isRight && status !== 503) wrongQuotes.push(`a quote was answered ${status} ${text}`)
    return ++quotes
  }
  const deliver = () => money.deliverNext(anyUrl())
  const repeated = [...Array(PUBLISHERS).fill(publishAny), deliver, deliver, quoteUnpaid].map(async request => {
    // After a request without an answer, it waits, as no one listens there now.
    while (!stop.signal.aborted) {
      if ((await request()) === undefined) await sleep(50)
      if (pauseMs > 0) await sleep(pauseMs)
    }
  })
  const caused = await cause(history).finally(() => stop.abort())
  await Promise.all(repeated)

  await history.settle(urls)
  await money.deliverRest(urls[0] ?? '')
  const unanswered = history.unanswered > unansweredMax ? [`${history.unanswered} publishes got no answer`] : []
  return {
    figures: `${caused.figures}; ${history.counts()}; ${history.published()} published; ${quotes} quotes; ${money.answered.size} events answered`,
    faults: [...caused.faults, ...(await instances.prove(history, money)), ...wrongQuotes, ...unanswered],
  }
}
