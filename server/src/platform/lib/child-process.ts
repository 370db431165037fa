import { ChildProcess, fork, type Serializable } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { scriptFile } from './package.ts'
import { messageOf } from './text.ts'

// Separate processes parse content from strangers: see docs/decisions/processes-apart.md.

/**
 * Gives a process a lower priority, up to niceness 19. On Linux this covers its first thread, and threads it starts
 * from now on.
 */
export function yieldToTheService(pid: number | undefined, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // The process has already ended, or this system does not allow it.
  }
}

/** Options of a process that Ctrl+C doesn't reach. While it starts, it can't ignore signals yet. */
export const OUTSIDE_GROUP = { detached: true } as const

/** The lowest priority, because no request waits for such a process. */
const NICENESS = 19

/**
 * Has a script answer one message in a process of its own, and returns the answer. A message can contain secrets, which
 * arguments and the environment must not.
 *
 * @throws Error if the script fails, ends early, or is stopped by the signal
 */
export async function runInProcess<Answer extends object>(
  script: string,
  message: Serializable,
  signal: AbortSignal,
): Promise<Answer> {
  // It leaves other signals to the service.
  const killSignal = 'SIGKILL'
  const child = fork(scriptFile(script), { ...OUTSIDE_GROUP, execArgv: [], stdio: 'ignore', signal, killSignal })
  // The signal can be aborted after the answer. Without a listener, that error would end the service.
  child.on('error', () => {})
  yieldToTheService(child.pid, NICENESS)
  child.send(message)
  const answer = await answerOf<Answer | { error: string }>(child, `the process ${script}`)
  if ('error' in answer) throw new Error(answer.error)
  return answer
}

/**
 * Has a script answer once, on a thread of its own.
 *
 * @throws Error if the script fails or ends early
 */
export function runOnThread<Answer>(script: string, options: WorkerOptions): Promise<Answer> {
  // The script can fail after its answer. Without a listener, that error would end the service.
  const thread = new Worker(scriptFile(script), options).on('error', () => {})
  return answerOf<Answer>(thread, 'its thread').finally(() => thread.terminate())
}

/**
 * Returns the next message of a process or thread.
 *
 * @param name the beginning of errors
 * @throws Error if it fails, ends or takes too long
 */
export function answerOf<Answer>(apart: EventEmitter, name: string, timeoutMs?: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const fail = (why: string) => reject(new Error(`${name} ${why}`))
  const end = (code: number | null, signal?: NodeJS.Signals) => fail(`ended with ${signal ?? `exit code ${code}`}`)
  const timer = timeoutMs && setTimeout(fail, timeoutMs, `did not answer within ${timeoutMs} ms`)
  // A process can exit before its message was read, but closes after that.
  const ended = apart instanceof ChildProcess ? 'close' : 'exit'
  apart.once('message', resolve).once(ended, end).once('error', reject)
  return promise.finally(() => {
    clearTimeout(timer)
    apart.off('message', resolve).off(ended, end).off('error', reject)
  })
}

/** Answers the message of `askProcess`, and ends the process. */
export function answerParent<Message>(answer: (message: Message) => Promise<object>): void {
  leaveSignalsToTheService()
  process.once('disconnect', () => process.exit())
  process.once('message', async (message: Message) => {
    process.send?.(await answer(message).catch(error => ({ error: messageOf(error) })))
    process.disconnect?.()
  })
}

/**
 * Ignores stop signals, which some supervisors send to each process. The service handles them, and needs its processes
 * until its requests have ended.
 */
export function leaveSignalsToTheService(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
}

/** Makes this process the first to be killed when memory runs out. */
export function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
