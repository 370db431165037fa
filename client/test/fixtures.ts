import { type ChildProcessByStdio, type SpawnOptionsWithStdioTuple, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { needs } from '../../server/test/support/tags.ts'
import { PlacardClient } from '../src/client.ts'
import { run } from '../src/command/run.ts'
import { PlacardError } from '../src/error.ts'
import { fileStore } from '../src/file-store/index.ts'
import type { ClientOptions } from '../src/options.ts'
import { type Arrival, refuse, reply, type Step } from './peer.ts'

export const DESTINATION = 'https://shop.example.org/about'
export const CATEGORY = 'Developer Tools'
export const REQUEST = { destination: DESTINATION, category: CATEGORY, userApproved: true }

const OWNER_TOKEN = 'b3duZXItdG9rZW4'

/** The part of a private link that must never be seen where it was not asked for. */
export const PRIVATE_PART = `#owner=${OWNER_TOKEN}`

export const PRIVATE_LINK = `https://placard.example.org/manage/c1${PRIVATE_PART}`

export const RECEIPT = {
  requestId: '0199a0b0-0000-7000-8000-000000000001',
  status: 'published',
  productUrl: 'https://placard.example.org/product/shop',
  expiresAt: Date.UTC(2026, 10, 5),
  chargeCreated: false,
  paidRankingChanged: false,
  ownership: { sensitive: true, domainOwnershipVerified: false, privateRecoveryUrl: PRIVATE_LINK },
  notice: 'Keep the private link private.',
}

/** A path in a new folder that does not exist yet. */
export const newJournalPath = () => join(mkdtempSync(join(tmpdir(), 'placard-client-')), 'state', 'journal.jsonl')

/** The journal's lines as objects. */
export const journalLines = (path: string): Record<string, string>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

/** A client with its own journal by default. It soon tries again, and gives up only if it is told to come back later. */
export const newClient = (
  service: string,
  { journalPath, ...options }: Partial<ClientOptions> & { journalPath?: string } = {},
) =>
  new PlacardClient({
    service,
    store: fileStore(journalPath ?? newJournalPath()),
    // Longer than any machine needs, and shorter than the waits that peers ask for.
    waitBudgetMs: 240_000,
    requestTimeoutMs: 240_000,
    firstBackoffMs: 1,
    ...options,
  })

/** The error a promise ends with; a failure of the test where it does not. */
export async function errorOf(promise: Promise<unknown>): Promise<PlacardError> {
  const result = await promise.catch((error: unknown) => error)
  if (result instanceof PlacardError) return result
  throw new Error(`Expected a PlacardError, got ${String(result)}`)
}

/** What must be the same in every repeat of one submission. */
export const credentialsOf = ({ headers, body }: Arrival) => ({
  key: headers['idempotency-key'],
  secret: headers['x-submission-secret'],
  body,
})

/** For `spawn`: no input, output to be read. */
export const PIPED: SpawnOptionsWithStdioTuple<'ignore', 'pipe', 'pipe'> = {
  stdio: ['ignore', 'pipe', 'pipe'],
}

/** Runs a script in a separate Node; the arguments in its `process.argv` begin at index 1. */
export const runNode = (script: string, args: string[]) =>
  ended(spawn(process.execPath, ['--input-type=module', '-e', script, ...args], PIPED))

/** Returns the receipt to the first key that arrives, however often, and refuses all others. */
export function acceptOneKey(): Step {
  let accepted: unknown
  return (response, arrival) => {
    const key = arrival.headers['idempotency-key']
    accepted ??= key
    return (key === accepted ? reply(200, RECEIPT) : refuse(409, 'destination_already_listed'))(response, arrival)
  }
}

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** What each start would otherwise spend two thirds of its CPU on. */
export const COMPILED = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Starts the command with no environment but the one given. */
export function startCli(args: string[], env: Record<string, string> = {}, nodeArgs: string[] = []) {
  needs('programs')
  const child = spawn(process.execPath, [...nodeArgs, CLI, ...args], { ...PIPED, env: { ...COMPILED, ...env } })
  return { child, ended: ended(child) }
}

export const runCli = (...args: Parameters<typeof startCli>) => startCli(...args).ended

/** Runs the command in this process, at a terminal or not, with this typed in. */
export async function runHere(
  args: string[],
  { env = {}, terminal = false, typed = '' }: { env?: Record<string, string>; terminal?: boolean; typed?: string } = {},
) {
  const said = { stdout: '', stderr: '' }
  const out = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text: string, _encoding, done) {
          said[name] += text
          done()
        },
      }),
      { isTTY: terminal },
    )
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [typed]), { isTTY: terminal })
  const code = await run(args, { env, stdin, stdout: out('stdout'), stderr: out('stderr') })
  return { code, ...said }
}

/** How a process ended, and what it printed. */
export async function ended(child: ChildProcessByStdio<Writable | null, Readable, Readable>) {
  const exit = new Promise<number | null>(resolve => child.on('exit', resolve))
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}
