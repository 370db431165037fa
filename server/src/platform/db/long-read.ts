import type { ReadApart, ReadLine, ReadTask, Runner } from './store.ts'

/** A runner whose long reads share their thread with those of other networks. */
type LongRunner = Runner & { readApart?: ReadApart | undefined }

/**
 * A read that may take long. On SQLite, whose driver is synchronous, it runs on a separate thread with everything it
 * computes, so that nothing else waits for it. On PostgreSQL, it runs here. The thread costs about 30 µs, and each
 * returned row as much as reading it here, so short reads are better without it.
 *
 * @param name unique: the thread finds the read by it, and imports its module in `ops/processes/long-reads.ts`
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

/** Returns the same store, whose long reads count as those of a client's networks. */
export function readingFor<Store extends LongRunner>(store: Store, networks: readonly string[]): Store {
  const { readApart } = store
  return readApart ? { ...store, readApart: (task, by) => readApart(task, { ...by, networks }) } : store
}

type AnyRead = (runner: Runner, argument: unknown) => Promise<unknown>
const READS = new Map<string, AnyRead>()

/** Runs a read here. @throws Error if no imported module has it */
export async function readHere(runner: Runner, { name, argument }: ReadTask): Promise<unknown> {
  const read = READS.get(name)
  if (!read) throw new Error(`ops/processes/long-reads.ts imports no long read ${name}`)
  return read(runner, argument)
}
