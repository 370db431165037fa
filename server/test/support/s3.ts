import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

/** An S3 server with one bucket, `board`. */
export interface S3Server {
  /** Settings for its bucket, with access to it. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }
  /** Where it keeps the objects. */
  directory: string
  /** The address of a prefix in its bucket, or in another one. */
  address(prefix: string, bucket?: string): string
  /** Called before each request. A request that gets a pending promise hangs, as at a dead server. */
  before: (request: IncomingMessage) => unknown
  close(): Promise<void>
}

const KEY = 'S3RVER'
const SECRET = 'S3RVER/secret+of=tests'

/**
 * Starts one. s3rver reads the fourth version of signatures, but does not verify it, so that is done here. What is
 * signed is named by the request, as the protocol says.
 */
export async function startS3(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'placard-s3-'))
  const s3rver = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'board' }] })
  await s3rver.configureBuckets()
  const answer = s3rver.callback()
  const server = createServer(async (request, response) => {
    await s3.before(request)
    if (isSigned(request)) return answer(request, response)
    response.writeHead(403, { 'content-type': 'application/xml' })
    response.end('<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const s3: S3Server = {
    directory,
    env: { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET },
    address: (prefix, bucket = 'board') => `s3://${bucket}/${prefix}?endpoint=http://127.0.0.1:${port}`,
    before: () => {},
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return s3
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, and those in an address. */
function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const [path = '', whole = ''] = url.split('?')
  const given = new URLSearchParams(whole)
  const isInAddress = given.has('X-Amz-Signature')
  const query = isInAddress ? whole.replace(/&X-Amz-Signature=\w+$/, '') : whole
  const [, ofHeader = '', namesOfHeader = '', signatureOfHeader] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const credential = given.get('X-Amz-Credential') ?? ofHeader
  const names = given.get('X-Amz-SignedHeaders') ?? namesOfHeader
  const signature = given.get('X-Amz-Signature') ?? signatureOfHeader
  const at = given.get('X-Amz-Date') ?? headers['x-amz-date']
  const content = isInAddress ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256']
  const [key, date = '', region = '', service = '', end = ''] = credential.split('/')
  const sorted =
    query === ''
      ? ''
      : query
          .split('&')
          .map(each => (each.includes('=') ? each : `${each}=`))
          .sort()
          .join('&')
  const signed = names.split(';').map(name => `${name}:${String(headers[name] ?? '').trim()}\n`)
  const request = [method, path, sorted, signed.join(''), names, content].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const text = ['AWS4-HMAC-SHA256', at, [date, region, service, end].join('/'), digest].join('\n')
  const signing = [region, service, end].reduce<string | Buffer>(
    (last, part) => hmac(last, part),
    hmac(`AWS4${SECRET}`, date),
  )
  return key === KEY && hmac(signing, text).toString('hex') === signature
}
