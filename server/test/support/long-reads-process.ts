// The thread of long reads, with those of tests besides.
import './long-reads.ts'
import '../../src/ops/processes/long-reads.ts'
