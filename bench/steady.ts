import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import { quantile } from './load.ts'
import { credentials, publishBody } from './requests.ts'

/** Publishes at a set rate, however slowly they are answered, as many clients together do. */
export class SteadyPublishes {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #perSecond: number
  #count = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /**
   * Publishes until some work has ended.
   *
   * @returns the 99th percentile of the times from when each was due to its answer, in milliseconds
   * @throws Error where one is not answered 201
   */
  async during(url: string, work: () => Promise<unknown>): Promise<{ p99Ms: number; publishes: number }> {
    let isOver = false
    const worked = work().finally(() => {
      isOver = true
    })
    // Whoever measures hears of it at the end.
    worked.catch(() => {})
    const answers: Promise<number>[] = []
    const startedAt = performance.now()
    while (!isOver) {
      const dueAt = startedAt + (answers.length * 1000) / this.#perSecond
      await sleep(Math.max(0, dueAt - performance.now()))
      answers.push(this.#publish(url, dueAt))
    }
    const times = await Promise.all(answers)
    await worked
    return { p99Ms: quantile(times, 0.99), publishes: times.length }
  }

  close(): void {
    this.#agent.destroy()
  }

  #publish(url: string, dueAt: number): Promise<number> {
    const sent = request(url + PUBLISH_PATH, { method: 'POST', agent: this.#agent, headers: credentials() })
    sent.end(publishBody(`http://steady-${++this.#count}-${process.pid}.com`))
    const answered = new Promise<number>((resolve, reject) => {
      sent.once('error', reject).once('response', response => {
        const { statusCode } = response.resume()
        if (statusCode !== 201) reject(new Error(`a publish answered ${statusCode}`))
        response.once('end', () => resolve(performance.now() - dueAt))
      })
    })
    answered.catch(() => {})
    return answered
  }
}
