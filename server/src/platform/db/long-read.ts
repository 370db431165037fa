import type { ReadApart, ReadLine, ReadTask, Runner } from './store.ts'

/** A runner whose long reads share their thread with those of other networks. */
type LongRunner = Runner & { readApart?: ReadApart | undefined }

/**
 * A read that may take long. On SQLite, whose driver is synchronous, it runs on a thread of its own, where nothing else
 * waits for it: what it weighs in memory as well as its queries. On PostgreSQL it runs here. A hop costs some 30 µs, and
 * each row it returns as much as reading it here, so a short read is better without.
 *
 * @param name of its own: the thread knows it by that, and imports its module in `ops/processes/long-reads.ts`
 */
export function longRead<Argument, Result>(
  name: string,
  read: (runner: Runner, argument: Argument) => Promise<Result>,
  line: ReadLine = 'other',
): (runner: LongRunner, argument: Argument) => Promise<Result> {
  READS.set(name, read as AnyRead)
  return (runner, argument) =>
    runner.readApart ? (runner.readApart({ name, argument }, { line }) as Promise<Result>) : read(runner, argument)
}

/** The same store, whose long reads count as those of a client's networks. */
export function readingFor<Store extends LongRunner>(store: Store, networks: readonly string[]): Store {
  const { readApart } = store
  return readApart ? { ...store, readApart: (task, by) => readApart(task, { ...by, networks }) } : store
}

type AnyRead = (runner: Runner, argument: unknown) => Promise<unknown>
const READS = new Map<string, AnyRead>()

/** Does a read here. @throws Error if no imported module has it */
export async function readHere(runner: Runner, { name, argument }: ReadTask): Promise<unknown> {
  const read = READS.get(name)
  if (!read) throw new Error(`ops/processes/long-reads.ts imports no long read ${name}`)
  return read(runner, argument)
}
