// @module-tag programs
// @module-tag slow
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../server/test/support/service.ts'
import { areInstalled, PRIVATE, type Workplace, workplace } from './programs.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let place: Workplace
let runs = 0
/** The website to publish, in place of the customer's that the guide names. */
let website: string
beforeEach(() => {
  place = workplace()
  website = `http://follower-${++runs}.com/`
  return place.remove
})

/** The guide's code blocks of a language, in order, as somebody would paste them who reads it now. */
async function blocks(language: string): Promise<string[]> {
  const guide = await (await fetch(`${service.url}/agent-guide.md`)).text()
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code.replaceAll('https://www.your-customer.example/', website))
}

/** The shape of a value: its fields, and the types of what they hold. */
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shape(field)]))
    : typeof value

const publicPage = () => `${service.url}/product/follower-${runs}-com`

describe('the agent guide, followed literally', () => {
  it.skipIf(!areInstalled('bash', 'curl', 'openssl'))('publishes with curl and openssl', async () => {
    const bash = async (code = '') => {
      const { stderr, stdout } = await place.run('bash', ['-c', code])
      expect(stderr).toBe('')
      expect(stdout).not.toMatch(PRIVATE)
      return stdout
    }
    const [capabilities, check, make, send, quote, boards, ...more] = await blocks('sh')
    expect(more).toEqual([])
    const [, receipt = ''] = await blocks('json')

    expect(JSON.parse(await bash(capabilities)).discovery.available).toBe(true)
    expect(JSON.parse(await bash(check))).toMatchObject({ wouldPublish: true, destination: website })
    await bash(make)
    const headers = place.read('placard-headers.txt')
    expect((await place.run('bash', ['-c', make ?? ''])).stderr).toContain('cannot overwrite existing file')
    expect(place.read('placard-headers.txt')).toBe(headers)

    expect(await bash(send)).toBe(`201\n"productUrl":"${publicPage()}"\n`)
    const first = JSON.parse(place.read('placard-reply.json'))
    expect(shape(first)).toEqual(shape(JSON.parse(receipt)))
    expect(await bash(send)).toBe(`200\n"productUrl":"${publicPage()}"\n`)
    expect(shape(JSON.parse(place.read('placard-reply.json')))).toEqual(shape(first))
    for (const file of ['headers.txt', 'body.json', 'reply.json']) {
      expect([file, place.mode(`placard-${file}`)]).toEqual([file, '600'])
    }
    expect(JSON.parse(await bash(quote))).toMatchObject({ chargeAmountCents: 2500 })
    expect((await bash(boards)).match(/"placement":"paid"/g)).toHaveLength(2)
  })

  it.skipIf(!areInstalled('bash', 'curl', 'openssl'))('prints the error of a refusal', async () => {
    const [, , make = '', send = ''] = await blocks('sh')
    service.sites.set(new URL(website).host, (_request, response) => response.writeHead(404).end())
    const { stdout } = await place.run('bash', ['-c', make + send])
    expect(stdout).toMatch(/^422\n"code":"review_rejected"\n"error":"[^"\n]+"\n$/)
  })

  it.skipIf(!areInstalled('python3'))('publishes with Python’s standard library', async () => {
    const [code = '', ...more] = await blocks('python')
    expect(more).toEqual([])
    writeFileSync(place.path('publish.py'), code)
    const python = () => place.run('python3', ['-I', '-X', 'dev', '-W', 'error', 'publish.py'])
    expect(await python()).toEqual({ code: 0, stdout: `201 ${publicPage()}\n`, stderr: '' })
    const saved = place.read('placard-submission.json')
    expect(await python()).toEqual({ code: 0, stdout: `200 ${publicPage()}\n`, stderr: '' })
    expect(place.read('placard-submission.json')).toBe(saved)
    expect(JSON.parse(place.read('placard-reply.json')).ownership.privateRecoveryUrl).toContain('#owner=')
    for (const file of ['submission', 'reply']) {
      expect([file, place.mode(`placard-${file}.json`)]).toEqual([file, '600'])
    }
  })

  it.skipIf(!areInstalled('python3'))('with Python keeps the key after a refusal and a lost answer', async () => {
    const [code = ''] = await blocks('python')
    const publish = (text: string) => {
      writeFileSync(place.path('publish.py'), text)
      return place.run('python3', ['-I', 'publish.py'])
    }
    const lost = await publish(code.replace(service.url, 'http://127.0.0.1:1'))
    expect(lost).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No answer, run it again: .*\n$/),
    })
    const saved = place.read('placard-submission.json')
    service.sites.set(new URL(website).host, (_request, response) => response.writeHead(503).end())
    const refused = await publish(code)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('503 {"code":"review_unavailable"'),
    })
    expect(place.read('placard-submission.json')).toBe(saved)
  })

  it.skipIf(!areInstalled('bash', 'curl', 'openssl', 'python3'))(
    'sends the secret nowhere else, even if it is told to',
    async () => {
      const asked: string[] = []
      const elsewhere = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        response.writeHead(302, { location: '/elsewhere' }).end()
      })
      await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
      const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
      const [, , make = '', send = ''] = await blocks('sh')
      const [python = ''] = await blocks('python')
      await place.run('bash', ['-c', make + send.replace(service.url, url)])
      await place.run('python3', ['-I', '-c', python.replace(service.url, url)])
      elsewhere.close()
      expect(asked).toEqual([`POST ${PUBLISH_PATH}`, `POST ${PUBLISH_PATH}`])
    },
  )

  it('publishes with the library', async () => {
    const [code = '', ...more] = await blocks('js')
    expect(more).toEqual([])
    writeFileSync(place.path('publish.mjs'), code)
    const node = () => place.run(process.execPath, ['publish.mjs'])
    expect(await node()).toEqual({ code: 0, stdout: `201 ${publicPage()}\n`, stderr: '' })
    expect(await node()).toEqual({ code: 0, stdout: `200 ${publicPage()}\n`, stderr: '' })
    expect(place.mode('placard-journal.jsonl')).toBe('600')
  })
})
