import { PageReaders } from '../../src/domain/review/page-parser/page-readers.ts'

/**
 * Readers of pages for all services and tests of a worker, because one takes a second of CPU to start. They end with the
 * worker's process. A page never waits too long for them, however busy the machine is.
 */
export const readers = new PageReaders({ limits: { waitMs: 240_000, readMs: 240_000, startMs: 240_000 } })
