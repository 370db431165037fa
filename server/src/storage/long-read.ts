import type { Runner } from './statement.ts'

/** A read for another thread: which one, and its argument, which can be cloned. */
export interface ReadTask {
  name: string
  argument: unknown
}

/** Runs reads on another thread, and gives what they return, cloned. */
export type ReadApart = (task: ReadTask) => Promise<unknown>

/**
 * A read that may take long. On SQLite, whose driver is synchronous, it runs on a thread of its own, where nothing else
 * waits for it: what it weighs in memory as well as its queries. On PostgreSQL it runs here. A hop costs some 30 µs, and
 * each row it returns as much as reading it here, so a short read is better without.
 *
 * @param name of its own: the thread knows it by that, and imports its module in `read-thread.ts`
 */
export function longRead<Argument, Result>(
  name: string,
  read: (runner: Runner, argument: Argument) => Promise<Result>,
): (runner: Runner & { readApart?: ReadApart | undefined }, argument: Argument) => Promise<Result> {
  READS.set(name, read as AnyRead)
  return (runner, argument) =>
    runner.readApart ? (runner.readApart({ name, argument }) as Promise<Result>) : read(runner, argument)
}

type AnyRead = (runner: Runner, argument: unknown) => Promise<unknown>
const READS = new Map<string, AnyRead>()

/** Does a read here. @throws Error if no imported module has it */
export async function readHere(runner: Runner, { name, argument }: ReadTask): Promise<unknown> {
  const read = READS.get(name)
  if (!read) throw new Error(`read-thread.ts imports no long read ${name}`)
  return read(runner, argument)
}
