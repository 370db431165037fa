/** The parts that our tests use: the package has no types. */
declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  export default class S3rver {
    constructor(options: { directory: string; silent: boolean; configureBuckets: { name: string }[] })
    configureBuckets(): Promise<void>
    callback(): RequestListener
  }
}
