import { load, type Measured, median, quantile, type Target } from './load.ts'

/** Short slices and many rounds: whatever else runs on the machine then meets both sides alike. */
const ROUNDS = 40
export const SLICE_SECONDS = 0.2
/** For what takes long each time. */
export const LONG_ROUNDS = 5
export const WARM_UP_SECONDS = 2

/** The wanted range; undefined for a figure that is only information. */
export type Wanted = { atLeast: number } | { atMost: number } | undefined

/** Loads two targets in turns, and reports the ratio of their rates. */
export async function compare(
  name: string,
  one: Target,
  other: Target,
  wanted: Wanted,
  { rounds = ROUNDS, seconds = SLICE_SECONDS } = {},
): Promise<void> {
  await load(one, WARM_UP_SECONDS)
  await load(other, WARM_UP_SECONDS)
  const [ones, others] = await inTurns(
    () => load(one, seconds),
    () => load(other, seconds),
    rounds,
  )
  const rate = ({ perSecond }: Measured) => perSecond
  const cpu = ({ cpuMicros }: Measured) => cpuMicros
  report(name, ratios(ones.map(rate), others.map(rate)), wanted)
  const side = (all: Measured[]) =>
    `${inSeconds(median(all.map(rate)))}, ${median(all.map(cpu)).toFixed(1)} µs CPU`
  console.log(`    ${side(ones)}  against  ${side(others)}; ${noise(ones.map(rate))}`)
  console.log(`    by CPU ${inWords(ratios(others.map(cpu), ones.map(cpu)))}; ${noise(ones.map(cpu))}`)
}

/** Measures one and the other in turns. @returns what each measured, round by round */
export async function inTurns<T>(
  one: () => T | Promise<T>,
  other: () => T | Promise<T>,
  rounds = ROUNDS,
): Promise<[T[], T[]]> {
  const [ones, others]: [T[], T[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ones.push(await one())
    others.push(await other())
  }
  return [ones, others]
}

/** Round by round, one side over the other. */
export const ratios = (ones: readonly number[], others: readonly number[]): number[] =>
  ones.map((each, round) => each / (others[round] ?? Number.NaN))

/** In words: how far one side differs from itself, from each round to the next. */
export const noise = (values: readonly number[]): string =>
  `against itself ${inWords(ratios(values.slice(1), values))}`

export const heading = (text: string) => console.log(`\n${text}`)
export const inSeconds = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`

/** Prints one line with a figure's median, the range of its middle half, and whether it is as wanted. */
export function report(name: string, values: readonly number[], wanted: Wanted): void {
  console.log(`  ${verdict(median(values), wanted)}  ${name}: ${inWords(values)}${wish(wanted)}`)
}

const inWords = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${quantile(values, 0.25).toFixed(2)} to ${quantile(values, 0.75).toFixed(2)})`

function verdict(value: number, wanted: Wanted): string {
  if (!wanted) return 'info'
  const met = 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost
  return met ? 'met ' : 'MISS'
}

function wish(wanted: Wanted): string {
  if (!wanted) return ''
  return 'atLeast' in wanted ? `, wanted at least ${wanted.atLeast}` : `, wanted at most ${wanted.atMost}`
}
