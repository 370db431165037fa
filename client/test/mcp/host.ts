import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client, type Transport } from '@modelcontextprotocol/client'
import { afterEach, expect } from 'vitest'
import { needs } from '../../../server/test/support/tags.ts'
import { run } from '../../src/command/run.ts'
import { COMPILED } from '../fixtures.ts'
import { credentialsIn, PRIVATE_PART } from '../real-service.ts'

const BIN = fileURLToPath(new URL('../../bin/placard-agent.js', import.meta.url))

/** The two ways of the protocol: with a handshake, and with all in each message. */
export const MODES = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const
export type Mode = (typeof MODES)[number][1]

/** A program that has started `placard-agent mcp`, and every byte that it heard of it. */
export interface Host {
  stdin: Writable
  journal: string
  stdout(): string
  stderr(): string
  /** Its exit code. */
  ended: Promise<unknown>
  /** For the official client. */
  transport: Transport
  /** Sends a message past the official client. */
  send(message: unknown): void
  /** What it answered to this id, once it has. */
  answer(id: number): Promise<{ result?: Record<string, unknown>; error?: Record<string, unknown> }>
}

const hosts: Host[] = []

// Whatever a test does: only JSON-RPC on stdout, no secret anywhere, and no process left.
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    host.stdin.end()
    await host.ended
    const lines = host.stdout().split('\n').filter(Boolean)
    expect(lines.map(line => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'))
    const said = host.stdout() + host.stderr()
    expect(said).not.toMatch(PRIVATE_PART)
    for (const { secret = '' } of existsSync(host.journal) ? credentialsIn(host.journal) : []) {
      expect(secret).toHaveLength(64)
      expect(said).not.toContain(secret)
    }
  }
})

interface Settings {
  args?: string[]
  env?: Record<string, string>
}

const wordsFor = (service: string, journal: string, { args = [] }: Settings) => [
  ...['mcp', '--service', service, '--journal', journal],
  ...args,
]

/** Runs `placard-agent mcp` in this process, with nothing but these settings. */
export function startHost(service: string, journal: string, settings: Settings = {}): Host {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const ended = run(wordsFor(service, journal, settings), { env: settings.env ?? {}, stdin, stdout, stderr })
  return hostOf({ stdin, stdout, stderr }, journal, ended)
}

/** The same in its own process, for tests about that. */
export function startHostProcess(
  service: string,
  journal: string,
  settings: Settings = {},
): Host & { child: ChildProcessWithoutNullStreams } {
  needs('programs')
  const child = spawn(process.execPath, [BIN, ...wordsFor(service, journal, settings)], {
    env: { ...COMPILED, ...settings.env },
    stdio: 'pipe',
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { ...hostOf(child, journal, ended), child }
}

interface Streams {
  stdin: Writable
  stdout: Readable
  stderr: Readable
}

function hostOf({ stdin, stdout, stderr }: Streams, journal: string, ended: Promise<unknown>): Host {
  const said = { stdout: '', stderr: '' }
  let unread = ''
  const send = (message: unknown) => void stdin.write(`${JSON.stringify(message)}\n`)
  const transport: Transport = {
    start: async () => {},
    send: async message => send(message),
    async close() {
      stdin.end()
      await ended
      transport.onclose?.()
    },
  }
  stdin.on('error', () => {})
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
    const lines = (unread + text).split('\n')
    unread = lines.pop() ?? ''
    for (const line of lines) transport.onmessage?.(JSON.parse(line))
  })
  const host: Host = {
    stdin,
    journal,
    ended,
    transport,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    send,
    answer: id => {
      const found = () =>
        said.stdout
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line))
          .find(one => one.id === id)
      return expect.poll(found).toBeDefined().then(found)
    },
  }
  hosts.push(host)
  return host
}

interface Person {
  /** What the program can ask: nothing, unless given. */
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> }
  /** How the person answers. */
  answers?: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }
}

/** Connects the official client. @returns it, and what the person was asked */
export async function connect(host: Host, mode: Mode, { elicitation, answers }: Person = {}) {
  const asked: Record<string, unknown>[] = []
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: elicitation ? { elicitation } : {}, versionNegotiation: { mode } },
  )
  if (elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push({ ...params })
      return answers ?? { action: 'cancel' }
    })
  }
  await client.connect(host.transport)
  return {
    client,
    asked,
    /** Calls a tool. @returns its value, or its error */
    async call(name: string, args: Record<string, unknown> = {}, options: { signal?: AbortSignal } = {}) {
      const result = await client.callTool({ name, arguments: args }, options)
      const [first] = result.content as { text: string }[]
      const said = JSON.parse(first?.text ?? '')
      expect(result.isError || result.structuredContent).toEqual(result.isError || said)
      return (result.isError ? { error: said } : { value: said }) as {
        value?: Record<string, never> & { receipt?: Record<string, never> }
        error?: Record<string, never>
      }
    },
  }
}
