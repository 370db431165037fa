import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { list as robots } from 'isbot'
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser'
import { check } from 'recheck'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Somebody can feed a quadratic pattern a text that takes forever. Sooner or later, all of our patterns meet strangers' text, so this proves that each takes linear time.

/** High enough that theory decides on each pattern, and none is merely tried out. */
const BY_THEORY = { maxRepeatCount: 1_000, maxNFASize: 200_000, maxPatternSize: 10_000, timeout: 60_000 }

/**
 * Whether a glance shows that a pattern is linear, which saves half of the checker's time. Without `*`, `+` and `{`, a
 * match has a bounded length. With one of them, an anchor, and no group, there is one place to try, and one choice: how
 * often a single character repeats.
 */
function isPlain(pattern: string, flags: string): boolean {
  const bare = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  const repeats = bare.match(/[*+{]/g)?.length ?? 0
  return repeats === 0 || (repeats === 1 && /^\^[^(|]*$/.test(bare) && !flags.includes('m'))
}

/** What was found out before: some patterns are in several places. */
const known = new Map<string, Promise<string>>()

/** A pattern's cost, and how it was determined. */
async function cost(pattern: string, flags: string): Promise<string> {
  if (isPlain(pattern, flags)) return 'linear'
  const text = `/${pattern}/${flags}`
  const found = known.get(text) ?? checked(pattern, flags)
  known.set(text, found)
  return found
}

async function checked(pattern: string, flags: string): Promise<string> {
  const { status, checker } = await check(pattern, flags, BY_THEORY)
  return status === 'safe' && checker === 'automaton' ? 'linear' : `${status} (${checker})`
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('{server,sandbox,contract,client}/src/**/*.{ts,tsx}', { cwd: root })

interface Patterns {
  literals: { pattern: string; flags: string }[]
  /** How many patterns are built when the module loads, and how many only later. */
  made: number
  madeLater: number
}

function patternsIn(file: string): Patterns {
  const found: Patterns = { literals: [], made: 0, madeLater: 0 }
  let functions = 0
  const enter = () => void functions++
  const leave = () => void functions--
  const make: VisitorObject['NewExpression'] & VisitorObject['CallExpression'] = ({ callee }) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    if (functions === 0) found.made++
    else found.madeLater++
  }
  new Visitor({
    Literal: node => {
      if ('regex' in node) found.literals.push(node.regex)
    },
    NewExpression: make,
    CallExpression: make,
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
  }).visit(parseSync(file, readFileSync(root + file, 'utf8')).program)
  return found
}

const found = files.map(file => ({ file, ...patternsIn(file) }))

describe('every pattern takes time in proportion to the text', { tags: ['slow'] }, () => {
  it.each([
    [String.raw`^\s*(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script(?:\s*;.*)?)\s*$`, 'i'],
    [String.raw`\/+$`, ''],
    ['^(a|a)*$', ''],
  ])(
    'or would be found out, as %s would',
    async (pattern, flags) => {
      expect(await cost(pattern, flags)).toMatch('vulnerable')
    },
    120_000,
  )

  const literals = found.flatMap(({ file, literals }) => literals.map(literal => ({ file, ...literal })))
  it('that stands in the source', async () => {
    expect(literals.length).toBeGreaterThan(100)
    const costs = []
    for (const each of literals) costs.push({ ...each, cost: await cost(each.pattern, each.flags) })
    expect(costs.filter(({ cost }) => cost !== 'linear')).toEqual([])
  })

  describe('that is put together', () => {
    const made: RegExp[] = []
    const real = globalThis.RegExp
    beforeAll(() => {
      globalThis.RegExp = new Proxy(real, {
        construct: (target, parameters: [string, string?]) => {
          const pattern = new target(...parameters)
          made.push(pattern)
          return pattern
        },
      })
    })
    afterAll(() => {
      globalThis.RegExp = real
    })

    it('where its module is loaded, and never of what comes later', () => {
      expect(found.filter(({ madeLater }) => madeLater > 0).map(({ file }) => file)).toEqual([])
    })

    const makers = found.filter(({ made }) => made > 0)
    it.each(makers)(
      'in $file',
      async ({ file, made: expected }) => {
        made.length = 0
        // Another test may have loaded the module before, so this loads it again.
        await import(`${root}${file}?patterns`)
        expect(made.length).toBeGreaterThanOrEqual(expected)
        const costs = []
        for (const { source, flags } of made) costs.push({ source, flags, cost: await cost(source, flags) })
        expect(costs.filter(({ cost }) => cost !== 'linear')).toEqual([])
      },
      120_000,
    )
  })

  it('by which a library knows robots', async () => {
    expect(robots.length).toBeGreaterThan(100)
    const costs = []
    for (const robot of robots) costs.push({ robot, cost: await cost(robot, 'i') })
    expect(costs.filter(({ cost }) => cost !== 'linear')).toEqual([])
  })
})
