import { PageReaders } from '../../src/review/page-readers.ts'

/** Readers of pages for all tests of a file. They end with its process. */
export const readers = new PageReaders()
