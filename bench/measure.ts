import { connect } from 'node:net'
import type { Program } from './programs.ts'
import { asText, type Sent } from './requests.ts'

/** One kind of request, sent again and again. */
export interface Target {
  service: Program
  /** One request for every time, or a function that returns the nth. */
  request: Sent | ((nth: number) => Sent)
  /** Expected status; any other fails the run. */
  status?: number
  /** How many requests each connection sends at once. The service accepts 33. */
  ahead?: number
}

interface Measured {
  answered: number
  perSecond: number
  /** Of the service, per request. */
  cpuMicros: number
}

const CONNECTIONS = 32
/** Short slices and many rounds: whatever else runs on the machine then meets both sides alike. */
const ROUNDS = 40
const SLICE_SECONDS = 0.2
const WARM_UP_SECONDS = 2
const STATUS = 'HTTP/1.1 '

/**
 * Loads a target for some seconds with as little CPU time as Node needs: of the replies, only the status is read. A
 * connection sends its next requests when all of the last are answered. @throws Error on any unexpected reply
 */
export async function load(target: Target, seconds = SLICE_SECONDS): Promise<Measured> {
  const { service, request, status = 200, ahead = 1 } = target
  const { hostname, port } = new URL(service.url)
  const wanted = `${STATUS}${status} `
  let [sent, answered] = [0, 0]
  const same = typeof request === 'function' ? '' : asText(request)
  const next = () => (typeof request === 'function' ? asText(request(sent++)) : same)
  const sleep = stayAwake()
  const cpuBefore = service.cpuMicros()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const talk = async () => {
    const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay()
    let [underWay, rest] = [0, '']
    const send = () => {
      underWay = ahead
      socket.write(Array.from({ length: ahead }, next).join(''))
    }
    send()
    for await (const chunk of socket as AsyncIterable<string>) {
      const text = rest + chunk
      let from = 0
      for (let at = text.indexOf(STATUS); at >= 0; at = text.indexOf(STATUS, from)) {
        if (at + wanted.length > text.length) break
        if (!text.startsWith(wanted, at)) throw new Error(`wanted ${status}, got ${text.slice(at, at + 300)}`)
        from = at + wanted.length
        answered++
        underWay--
      }
      rest = text.slice(Math.max(from, text.length - wanted.length + 1))
      if (underWay > 0) continue
      if (performance.now() >= endsAt) break
      send()
    }
    socket.destroy()
  }
  // The service closes a connection after some refusals.
  const lane = async () => {
    do await talk()
    while (performance.now() < endsAt)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane)).finally(sleep)
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  if (answered === 0) throw new Error(`${service.url} answered nothing`)
  const cpuMicros = (service.cpuMicros() - cpuBefore) / answered
  return { answered, perSecond: answered / elapsedSeconds, cpuMicros }
}

/**
 * Keeps this process from sleeping until the returned function is called. Otherwise, each reply would wake a sleeping
 * processor, which on a virtual machine costs a server that is slower than its load more than the reply itself.
 */
function stayAwake(): () => void {
  let isAwake = true
  const turn = () => void (isAwake && setImmediate(turn))
  turn()
  return () => {
    isAwake = false
  }
}

/** The wanted range; undefined for a figure that is only information. */
export type Wanted = { atLeast: number } | { atMost: number } | undefined

/** Loads two targets in turns, and reports how many requests one answers in the CPU time that the other needs for one. */
export async function compare(name: string, one: Target, other: Target, wanted?: Wanted): Promise<void> {
  for (const target of [one, other]) await load(target, WARM_UP_SECONDS)
  const both = await inTurns(
    () => load(one),
    () => load(other),
  )
  const [cpu = [], otherCpu = []] = both.map(all => all.map(({ cpuMicros }) => cpuMicros))
  const [rates = [], otherRates = []] = both.map(all => all.map(({ perSecond }) => perSecond))
  report(name, ratios(otherCpu, cpu), wanted, `; ${noise(cpu)}`)
  const side = (micros: number[], all: number[]) =>
    `${median(micros).toFixed(1)} µs CPU and ${Math.round(median(all)).toLocaleString('en')}/s`
  const byClock = inWords(ratios(rates, otherRates))
  console.log(`    ${side(cpu, rates)}  against  ${side(otherCpu, otherRates)}; by the clock ${byClock}`)
}

/** Measures one and the other in turns. @returns what each measured, round by round */
export async function inTurns<T>(one: () => Promise<T>, other: () => T | Promise<T>): Promise<[T[], T[]]> {
  const [ones, others]: [T[], T[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ones.push(await one())
    others.push(await other())
  }
  return [ones, others]
}

/** Round by round, one side over the other. */
export const ratios = (ones: readonly number[], others: readonly number[]): number[] =>
  ones.map((each, round) => each / (others[round] ?? Number.NaN))

/** Returns how far one side differs from itself from round to round, as text. */
export const noise = (values: readonly number[]): string => `against itself ${inWords(ratios(values.slice(1), values))}`

export const heading = (text: string) => console.log(`\n${text}`)

/** Prints one line with a figure's median, the range of its middle half, and whether it is as wanted. */
export function report(name: string, values: readonly number[], wanted: Wanted, remark = ''): void {
  const [bound, limit = 0] = Object.entries(wanted ?? {})[0] ?? []
  const isMet = bound === 'atLeast' ? median(values) >= limit : median(values) <= limit
  const verdict = bound === undefined ? 'info' : isMet ? 'met ' : 'MISS'
  const wish = bound ? `, wanted at ${bound === 'atLeast' ? 'least' : 'most'} ${limit}` : ''
  console.log(`  ${verdict}  ${name}: ${inWords(values)}${wish}${remark}`)
}

const inWords = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${quantile(values, 0.25).toFixed(2)} to ${quantile(values, 0.75).toFixed(2)})`

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)

/** Returns a quantile, interpolated between the two nearest numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const [below = 0, above = below] = sorted.slice(Math.floor(place))
  return below + (place % 1) * (above - below)
}
