import { PageReaders } from '../../src/domain/review/page-parser/parser-pool.ts'

/**
 * Readers of pages for all services and tests of a worker, because one takes a second of CPU to start. They end with the
 * worker's process.
 */
export const readers = new PageReaders()
