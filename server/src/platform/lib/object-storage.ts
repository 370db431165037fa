import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { Readable } from 'node:stream'
import { S3Client as Client, S3Errors as Errors } from '@bradenmacdonald/s3-lite-client'
import { readAtMost } from './read-at-most.ts'
import type { Secret } from './secret.ts'
import { MINUTE_MS, within } from './time.ts'
import { trustAdvice } from './untrusted-certificate.ts'

/** After this time without an answer, a request fails by default. A large file is sent in parts, each with its own time. */
const ANSWER_TIMEOUT_MS = MINUTE_MS

const PART_BYTES = 8 * 1024 * 1024
const PARTS_MAX = 9_000

interface BucketSettings {
  address: { endpoint: string; bucket: string; prefix: string; region: string }
  credentials: { accessKeyId: string; secretAccessKey: Secret; sessionToken: Secret | undefined }
}

/** Objects below a prefix of an S3 bucket. Every error is one line that says what to do, without a secret. */
export class Bucket {
  readonly #client: Client
  readonly #prefix: string
  readonly #where: string
  readonly #endpoint: string

  constructor({ address, credentials }: BucketSettings, answerTimeoutMs = ANSWER_TIMEOUT_MS) {
    const { endpoint, bucket, prefix, region } = address
    const token = credentials.sessionToken?.reveal().toString()
    this.#client = new ClientInTime(
      {
        endPoint: endpoint,
        bucket,
        region,
        accessKey: credentials.accessKeyId,
        secretKey: credentials.secretAccessKey.reveal().toString(),
        ...(token !== undefined && { sessionToken: token }),
      },
      answerTimeoutMs,
    )
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.#where = `bucket ${bucket} at ${endpoint}`
    this.#endpoint = endpoint
  }

  /** Returns the objects whose names begin with `start`. */
  list(start: string): Promise<{ name: string; bytes: number }[]> {
    return this.#try(async () => {
      const found = []
      for await (const { key, size } of this.#client.listObjects({ prefix: this.#prefix + start })) {
        found.push({ name: key.slice(this.#prefix.length), bytes: size })
      }
      return found
    })
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    await this.#try(() => this.#client.putObject(this.#prefix + name, new Uint8Array(bytes)))
  }

  /** Uploads a file, of which it reads a few parts at a time into memory. */
  async putFile(name: string, path: string): Promise<void> {
    const file = await openAsBlob(path)
    const partSize = Math.max(PART_BYTES, Math.ceil(file.size / PARTS_MAX))
    const sized = { size: file.size, partSize }
    await this.#try(() => this.#client.putObject(this.#prefix + name, file.stream(), sized))
  }

  /** @returns undefined if there is no such object */
  get(name: string): Promise<Readable | undefined> {
    return this.#try(async () => {
      try {
        const { body } = await this.#client.getObject(this.#prefix + name)
        return Readable.from(this.#explained(body ?? []))
      } catch (error) {
        if (error instanceof Errors.ServerError && error.code === 'NoSuchKey') return undefined
        throw error
      }
    })
  }

  /**
   * Reads a small object whole, and closes its connection if that takes longer than `timeoutMs`.
   *
   * @returns undefined if there is no such object
   */
  getSmall(
    name: string,
    { bytesMax, timeoutMs }: { bytesMax: number; timeoutMs: number },
  ): Promise<Buffer | undefined> {
    return this.#try(async () => {
      // The client cannot end a request, so it only signs this one.
      const url = await this.#client.getPresignedUrl('GET', this.#prefix + name, { expirySeconds: 60 })
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
      const body = await readAtMost(bytesMax, response.body, `${name} has more than ${bytesMax} bytes`)
      if (response.ok) return body
      const [, code = 'Unknown'] = /<Code>(\w+)<\/Code>/.exec(body.toString()) ?? []
      if (code === 'NoSuchKey') return undefined
      throw new Errors.ServerError(response.status, code, code)
    })
  }

  /** Reads a whole object. @returns its SHA-256 in hex; undefined if there is no such object */
  async digest(name: string): Promise<string | undefined> {
    const stream = await this.get(name)
    if (!stream) return undefined
    const hash = createHash('sha256')
    for await (const chunk of stream) hash.update(chunk)
    return hash.digest('hex')
  }

  async delete(name: string): Promise<void> {
    await this.#try(() => this.#client.deleteObject(this.#prefix + name))
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#explain(error as Error)
    }
  }

  async *#explained(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks
    } catch (error) {
      throw this.#explain(error as Error)
    }
  }

  /** Returns the error in one line that says what to do. It has no cause, which would only repeat it in other words. */
  #explain(error: Error): Error {
    const endpoint = this.#endpoint
    if (!(error instanceof Errors.ServerError)) {
      // This error of the client quotes the whole answer.
      if (/^Unexpected(ly)? /.test(error.message))
        return new Error(`${endpoint} is no object storage: correct the endpoint`)
      const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
      // An expired time limit has a number as its code, which helps no one.
      const why = typeof code === 'string' ? code : message
      const advice = trustAdvice(why)
      if (advice) return new Error(`${endpoint} has a certificate that is not trusted (${why})${advice}`)
      return new Error(`${endpoint} does not answer (${why}): is it running, and is the endpoint right?`)
    }
    const { code, statusCode } = error
    if (code === 'NoSuchBucket') return new Error(`there is no ${this.#where}: create it, or correct its name`)
    if (OTHER_REGION.includes(code)) {
      return new Error(`the ${this.#where} is in another region (${code}): add region=… to its address`)
    }
    if (code === 'RequestTimeTooSkewed') {
      return new Error(`${endpoint} refuses access (${code}): set the clock of this machine`)
    }
    if (statusCode === 401 || statusCode === 403) {
      return new Error(
        `${endpoint} refuses access (${code}): check AWS_ACCESS_KEY_ID, its secret and its rights to the ${this.#where}`,
      )
    }
    return new Error(
      `${endpoint} answered ${statusCode} (${code}) for the ${this.#where}: try later, or ask its operator`,
    )
  }
}

/** How AWS refuses a request to another region than the bucket's. */
const OTHER_REGION: readonly string[] = ['PermanentRedirect', 'UnexpectedRedirect', 'AuthorizationHeaderMalformed']

/** Limits how long an answer may take: of an object only its headers, because a large one takes long. */
class ClientInTime extends Client {
  readonly #timeoutMs: number

  constructor(options: ConstructorParameters<typeof Client>[0], timeoutMs: number) {
    super(options)
    this.#timeoutMs = timeoutMs
  }

  override makeRequest(request: Parameters<Client['makeRequest']>[0]): Promise<Response> {
    return within(this.#timeoutMs, this.#answer(request), () => {
      throw new Error(`no answer in ${this.#timeoutMs / 1000} s`)
    })
  }

  async #answer(request: Parameters<Client['makeRequest']>[0]): Promise<Response> {
    const response = await super.makeRequest(request)
    const isObject = request.method === 'GET' && request.objectName !== ''
    return isObject || !request.returnBody ? response : new Response(await response.text(), response)
  }
}
