import { hash } from 'node:crypto'
import { joinNote, openNote, parseCount, proveConsistency, type ReadTile, splitNote } from '@placard/contract/log'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { readAtMost } from '../../platform/lib/read-at-most.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { type KnownCheckpoint, type LastCheckpoint, signedOf } from './break.ts'

/** A slow witness costs only its cosignature. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS
/** How long the first checkpoint of a process may wait for the witnesses' last checkpoints. */
const SEEN_WITHIN_MS = 3 * SECOND_MS
const RETRY_MAX_MS = 5 * MINUTE_MS
/** Larger than any checkpoint with its signatures. */
const ANSWER_MAX_BYTES = 100 * 1024
/** How far the clock of a witness may be ahead. */
const CLOCK_AHEAD_SECONDS = 300

type Witness = Config['log']['witnesses'][number]

interface State extends Witness {
  name: string
  isBusy: boolean
  /** The last checkpoint that the witness cosigned, as far as known. */
  origin: string
  size: number
  isCosigned: boolean
  failures: number
  /** By the monotonic clock. */
  notBefore: number
}

interface WitnessesDependencies {
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Our log, for the requests to its witnesses. */
interface OwnLog {
  /** Verifier keys of the log. */
  vkeys: readonly string[]
  readTile: ReadTile
  /** Stores a cosignature, a line of the checkpoint. */
  keep(line: string): Promise<void>
}

/**
 * Asks the witnesses to cosign checkpoints, by C2SP's `tlog-witness`. No request waits for them, and their answers
 * count only with a signature.
 */
export class Witnesses {
  readonly #states: State[]
  readonly #deps: WitnessesDependencies
  readonly #end = new AbortController()
  readonly #requests = new Set<Promise<void>>()
  #shownCheckpoints: KnownCheckpoint[] = []

  constructor(witnesses: readonly Witness[], deps: WitnessesDependencies) {
    const state = { isBusy: false, origin: '', size: 0, isCosigned: false, failures: 0, notBefore: 0 }
    this.#states = witnesses.map(each => ({ ...each, name: each.vkey.split('+')[0] ?? '', ...state }))
    this.#deps = deps
  }

  /** Asks each witness that has not cosigned this checkpoint, and is not being asked. Returns at once. */
  cosign(checkpoint: LastCheckpoint, own: OwnLog): void {
    for (const state of this.#states) {
      if (state.origin !== checkpoint.origin)
        Object.assign(state, { origin: checkpoint.origin, size: 0, isCosigned: false })
      const isDone = state.isCosigned && state.size === checkpoint.size
      if (isDone || state.isBusy || this.#end.signal.aborted || performance.now() < state.notBefore) continue
      state.isBusy = true
      const asked: Promise<void> = this.#ask(state, checkpoint, own)
        .then(
          () => this.#succeeded(state),
          error => this.#failed(state, error),
        )
        .finally(() => {
          state.isBusy = false
          this.#requests.delete(asked)
        })
      this.#requests.add(asked)
    }
  }

  /** Returns the checkpoints with our signature that witnesses have shown since the last call. */
  takeCheckpoints(): KnownCheckpoint[] {
    return this.#shownCheckpoints.splice(0)
  }

  /** Asks all witnesses for the last checkpoint of our log that they cosigned. Takes some seconds at most. */
  async lastCosigned(origin: string, vkeys: readonly string[], signal: AbortSignal): Promise<KnownCheckpoint[]> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(SEEN_WITHIN_MS)])
    const seen = await Promise.all(
      this.#states.map(state => checkpointShownBy(state, origin, vkeys, within).catch(() => undefined)),
    )
    return seen.filter(each => each !== undefined)
  }

  async close(): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#requests)
  }

  async #ask(state: State, checkpoint: LastCheckpoint, own: OwnLog): Promise<void> {
    const { origin, size, note } = checkpoint
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    let { status, text } = await this.#add(state, checkpoint, own, signal)
    const sizeThere = status === 409 ? parseCount(text.trimEnd()) : undefined
    if (sizeThere !== undefined && sizeThere <= size) {
      state.size = sizeThere
      ;({ status, text } = await this.#add(state, checkpoint, own, signal))
    }
    if (status === 200) {
      await own.keep(cosignatureIn(text, { note, vkey: state.vkey, now: this.#deps.clock() }))
      Object.assign(state, { size, isCosigned: true })
      return
    }
    state.size = 0
    // The witness may have a checkpoint that the log has lost. Only our signature on that checkpoint proves it.
    const seen = [409, 422].includes(status) ? await checkpointShownBy(state, origin, own.vkeys, signal) : undefined
    if (seen) this.#shownCheckpoints.push(seen)
    throw new Error(
      sizeThere !== undefined && sizeThere > size ? `says that it has seen ${sizeThere} entries` : `answered ${status}`,
    )
  }

  async #add({ url, size }: State, checkpoint: LastCheckpoint, { readTile }: OwnLog, signal: AbortSignal) {
    const proof = await proveConsistency(size, checkpoint.size, readTile)
    const lines = [`old ${size}`, ...proof.map(each => each.toString('base64')), '', checkpoint.note]
    return ask(`${url}/add-checkpoint`, { method: 'POST', body: lines.join('\n'), signal })
  }

  #succeeded(state: State): void {
    if (state.failures > 0) this.#deps.log.info({ witness: state.name }, 'a witness cosigns again')
    Object.assign(state, { failures: 0, notBefore: 0 })
  }

  #failed(state: State, err: unknown): void {
    if (this.#end.signal.aborted) return
    state.failures++
    const waitMs = Math.min(RETRY_MAX_MS, SECOND_MS * 2 ** state.failures)
    state.notBefore = performance.now() + waitMs
    // One warning is enough: the witness may be down for days.
    const level = state.failures === 1 ? 'warn' : 'info'
    this.#deps.log[level]({ err, witness: state.name, failures: state.failures, waitMs }, 'no cosignature; will retry')
  }
}

/** @returns the last checkpoint of a log that a witness shows; undefined without a signature of that log */
async function checkpointShownBy(
  { url, name }: State,
  origin: string,
  vkeys: readonly string[],
  signal: AbortSignal,
): Promise<KnownCheckpoint | undefined> {
  const { status, text } = await ask(`${url}/${hash('sha256', origin)}/checkpoint`, { signal })
  if (status !== 200 || openNote(text, vkeys).signatures.length === 0) return undefined
  return { ...signedOf(text), knownBy: `the witness ${name}` }
}

/** Returns the line of an answer that is a cosignature by this key. @throws Error if there is none */
function cosignatureIn(answer: string, { note, vkey, now }: { note: string; vkey: string; now: number }): string {
  const { text } = splitNote(note)
  for (const { line } of splitNote(joinNote(text, [answer])).lines) {
    const [{ time = 0 } = {}] = openNote(joinNote(text, [line]), [vkey]).signatures
    if (time > 0 && time <= now / 1000 + CLOCK_AHEAD_SECONDS) return line
  }
  throw new Error('answered without its cosignature')
}

/** Returns the note with a cosignature, in the place of an earlier one by the same key. */
export function addCosignature(note: string, line: string): string {
  const { text, lines } = splitNote(note)
  const isBySameKey = ({ name, bytes }: (typeof lines)[number]) =>
    splitNote(joinNote(text, [line])).lines.some(
      each => each.name === name && each.bytes.subarray(0, 4).equals(bytes.subarray(0, 4)),
    )
  return joinNote(text, [...lines.filter(each => !isBySameKey(each)).map(each => each.line), line])
}

/** Sends one request. @throws Error if the answer is a redirect, too long or too slow */
async function ask(
  url: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  const body = await readAtMost(ANSWER_MAX_BYTES, response.body, 'answered with too many bytes')
  return { status: response.status, text: body.toString() }
}
