// @module-tag programs
// @module-tag slow
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/ops/doctor/finding.ts'
import { Bucket } from '../../../src/platform/lib/object-storage.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { migratedDatabase } from '../../support/engines.ts'
import { run } from '../../support/process.ts'
import { startTestService } from '../../support/service.ts'

describe('object storage that misbehaves', () => {
  let server: Server
  let endpoint: string
  async function answering(answer: RequestListener, answerTimeoutMs?: number): Promise<Bucket> {
    server = createServer(answer)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const secret = new Secret(Buffer.from('secret'))
    return new Bucket(
      {
        address: { endpoint, bucket: 'board', prefix: '', region: 'us-east-1' },
        credentials: { accessKeyId: 'key', secretAccessKey: secret, sessionToken: undefined },
      },
      answerTimeoutMs,
    )
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  afterEach(close)

  const failureOf = (work: Promise<unknown>) => work.then(String, ({ message }) => message)

  it.each<[string, RequestListener]>([
    ['accepts a request and never answers', () => {}],
    [
      'begins an answer and never ends it',
      (_, response) => void response.writeHead(200).write('<?xml version="1.0"?>'),
    ],
  ])('and %s is given up', async (_, answer) => {
    const bucket = await answering(answer, 50)
    expect(await failureOf(bucket.list(''))).toBe(
      `${endpoint} does not answer (no answer in 0.05 s): is it running, and is the endpoint right?`,
    )
  })

  it('and never answers fails the read of a small object, and the error says why', async () => {
    const bucket = await answering(() => {})
    expect(await failureOf(bucket.getSmall('a', { bytesMax: 1, timeoutMs: 50 }))).toBe(
      `${endpoint} does not answer (The operation was aborted due to timeout): is it running, and is the endpoint right?`,
    )
  })

  it('and never takes what it is sent is given up', async () => {
    const bucket = await answering(() => {}, 50)
    for (const work of [bucket.put('a', Buffer.from('b')), bucket.delete('a'), bucket.digest('a')]) {
      expect(await failureOf(work)).toMatch(/^http:\S+ does not answer \(no answer in 0.05 s\): /)
    }
  })

  it('and ends in the middle of an object is named, also by what reads the object', async () => {
    const bucket = await answering((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('begun')
      setImmediate(() => response.destroy())
    })
    expect(await failureOf(bucket.digest('a'))).toMatch(/^http:\S+ does not answer \(UND_ERR_SOCKET\): is it running/)
  })

  it('and is a website, in another region, or of another time, is explained in one line', async () => {
    const page = await answering((_, response) => void response.end('<html>\n<body>\nWelcome\n'.repeat(100)))
    expect(await failureOf(page.list(''))).toBe(`${endpoint} is no object storage: correct the endpoint`)
    close()
    const elsewhere = await answering((_, response) => {
      response.writeHead(400).end('<Error><Code>AuthorizationHeaderMalformed</Code></Error>')
    })
    expect(await failureOf(elsewhere.list(''))).toBe(
      `the bucket board at ${endpoint} is in another region (AuthorizationHeaderMalformed): add region=… to its address`,
    )
    close()
    const later = await answering((_, response) => {
      response.writeHead(403).end('<Error><Code>RequestTimeTooSkewed</Code></Error>')
    })
    expect(await failureOf(later.list(''))).toBe(
      `${endpoint} refuses access (RequestTimeTooSkewed): set the clock of this machine`,
    )
  })

  it('delays no command after the command has reported it', async () => {
    await answering(() => {})
    const database = await migratedDatabase('sqlite')
    await (await startTestService({ database })).stop()
    const address = `s3://board?endpoint=${endpoint}`
    const access = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
    const env = { ...database.env, ...access, BACKUP_TO: address, STORAGE_URL: address }
    const doctor = run('server/bundled/placard.js', ['doctor', '--json'], env)
    // Its connections are still open.
    expect(await doctor.ended).toBe(1)
    const { findings } = JSON.parse(doctor.output()) as { findings: Finding[] }
    const says = `${endpoint} does not answer (no answer in 10 s): is it running, and is the endpoint right?`
    const failed = findings.filter(each => each.says === says)
    // The second check has the same cause.
    expect(failed.map(({ about, state }) => [about, state])).toEqual([['backup', 'failed']])
    await database.remove()
  })
})
