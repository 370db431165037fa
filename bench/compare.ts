import { load, type Measured, median, type Target } from './load.ts'

export const ROUNDS = 5
export const SECONDS = 1

/** The wanted range; undefined for a figure that is only information. */
export type Wanted = { atLeast: number } | { atMost: number } | undefined

/** Loads two targets in turns. @returns the ratio of their rates, round by round */
export async function compare(
  name: string,
  one: Target,
  other: Target,
  wanted: Wanted,
  seconds = SECONDS,
): Promise<void> {
  await load(one, seconds)
  await load(other, seconds)
  const ones: Measured[] = []
  const others: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ones.push(await load(one, seconds))
    others.push(await load(other, seconds))
  }
  report(
    name,
    ones.map((each, round) => each.perSecond / (others[round]?.perSecond ?? Number.NaN)),
    wanted,
  )
  const side = (all: Measured[]) =>
    `${inSeconds(median(all.map(each => each.perSecond)))}, ${median(all.map(each => each.cpuMicros)).toFixed(0)} µs CPU`
  console.log(`    ${side(ones)}  against  ${side(others)}`)
}

export const heading = (text: string) => console.log(`\n${text}`)
export const inSeconds = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`

/** Prints one line with a figure's median, its range, and whether it is as wanted. */
export function report(name: string, values: readonly number[], wanted: Wanted): void {
  const value = median(values)
  const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  console.log(`  ${verdict(value, wanted)}  ${name}: ${value.toFixed(2)} (${range}${wish(wanted)})`)
}

function verdict(value: number, wanted: Wanted): string {
  if (!wanted) return 'info'
  const met = 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost
  return met ? 'met ' : 'MISS'
}

function wish(wanted: Wanted): string {
  if (!wanted) return ''
  return 'atLeast' in wanted ? `; wanted at least ${wanted.atLeast}` : `; wanted at most ${wanted.atMost}`
}
