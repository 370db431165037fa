// The thread of long reads, with those of tests besides.
import './long-reads.ts'
import '../../src/read-thread.ts'
