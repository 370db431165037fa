// @module-tag programs
// @module-tag slow
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startTestService, type TestService } from '../../server/test/support/service.ts'
import { areInstalled, PRIVATE, type Workplace, workplace } from '../programs.ts'
import { workflowFaults } from './github-workflow.ts'

const CATEGORY = 'Food & Drink'
const example = (name: string) => join(import.meta.dirname, '../../examples', name)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let place: Workplace
let runs = 0
let host: string
beforeEach(() => {
  place = workplace()
  host = `example-${++runs}.com`
  return place.remove
})

/** With the slash that browsers show after an address. */
const site = () => [`${service.url}/`, `http://${host}/`, CATEGORY]
const publicPage = () => `${service.url}/product/${host.replaceAll('.', '-')}`

/** A proxy on the way to the service. @param spoil whether it gave another answer to a publish than the service did */
async function spoiling(spoil: (nth: number, response: ServerResponse) => boolean) {
  const published: number[] = []
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      ['content-type', 'idempotency-key', 'x-submission-secret']
        .map(name => [name, request.headers[name]])
        .filter(([, value]) => value !== undefined),
    )
    const body = request.method === 'POST' ? await text(request) : null
    const reply = await fetch(service.url + request.url, { method: request.method ?? 'GET', headers, body })
    if (request.url === PUBLISH_PATH && spoil(published.push(reply.status), response)) return
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    published: () => published,
    close: () => void server.close(),
  }
}

const PROGRAMS = [
  { name: 'library.ts', program: process.execPath, needs: [], keeps: 'journal.jsonl' },
  { name: 'curl.sh', program: 'bash', needs: ['bash', 'curl', 'openssl'], keeps: 'placard-submission.conf' },
  { name: 'python.py', program: 'python3', needs: ['python3'], keeps: 'placard-submission.json' },
] as const

describe.each(PROGRAMS)('the example $name', ({ name, program, needs, keeps }) => {
  const run = async (...more: string[]) => {
    const ran = await place.run(program, [example(name), ...site(), ...more], {
      PLACARD_JOURNAL: place.path('journal.jsonl'),
      // Nothing listens there: a service on this machine is reached without a proxy, which would read the secret.
      http_proxy: 'http://127.0.0.1:9',
    })
    expect(ran.stdout + ran.stderr).not.toMatch(PRIVATE)
    return ran
  }
  const test = it.skipIf(!areInstalled(...needs))

  test('publishes after a yes, and gets the receipt again', async () => {
    const asked = await run()
    expect(asked).toMatchObject({ code: 2, stdout: expect.stringContaining(`Welcome to ${host}`) })
    expect(asked.stdout).toContain('Nothing is published.')
    expect((await fetch(publicPage())).status).toBe(404)

    const first = await run('--user-approved')
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(publicPage()), stderr: '' })
    expect((await fetch(publicPage())).status).toBe(200)
    expect(place.mode(keeps)).toBe('600')
    const again = await run('--user-approved')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(publicPage()), stderr: '' })
    expect(service.sites.visits(host)).toBe(2) // The check, and one publish.
  })

  test('sends the same again after a lost answer', async () => {
    const lossy = await spoiling((nth, response) => nth === 1 && !!response.socket?.destroy())
    const args = [example(name), lossy.url, ...site().slice(1), '--user-approved']
    const ran = await place.run(program, args, { PLACARD_JOURNAL: place.path('journal.jsonl') })
    lossy.close()
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(publicPage()) })
    expect(lossy.published()).toEqual([201, 200])
    expect(service.sites.visits(host)).toBe(1)
  })

  test('says why a website is refused', async () => {
    service.sites.set(host, (_request, response) => response.writeHead(404).end())
    const refused = await run('--user-approved')
    expect(refused.code).toBe(1)
    expect(refused.stdout + refused.stderr).toContain('review_rejected')
  })

  test('says what is wrong with its arguments', async () => {
    const { code, stdout, stderr } = await place.run(program, [example(name), service.url, 'http://x/', 'Nothing'])
    expect(code).not.toBe(0)
    expect(stdout + stderr).toMatch(/unknown_category|invalid_destination/)
  })
})

describe.each(PROGRAMS.slice(1))('the example $name', ({ name, program, needs, keeps }) => {
  it.skipIf(!areInstalled(...needs))('sends no other submission from the same file', async () => {
    const run = (...args: string[]) => place.run(program, [example(name), ...args, '--user-approved'])
    await run(...site())
    const kept = place.read(keeps)
    const other = await run(service.url, 'http://another.com/', CATEGORY)
    expect(other.stderr).toMatch(/holds another submission\. Name another file in PLACARD_FILE\.\n$/)
    expect(place.read(keeps)).toBe(kept)
    expect((await fetch(`${service.url}/product/another-com`)).status).toBe(404)
  })
})

describe.each(PROGRAMS.slice(1))('the example $name', ({ name, program, needs, keeps }) => {
  const test = it.skipIf(!areInstalled(...needs))

  test('says how it is called if an argument is missing', async () => {
    const { code, stderr } = await place.run(program, [example(name), service.url])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Usage: \S+ SERVICE DESTINATION CATEGORY /)])
  })

  test('says that its service is none, and makes no submission for it', async () => {
    const server = createServer((_request, response) => response.end('<p>Log in</p>'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const more of [[], ['--user-approved']]) {
      const { code, stderr } = await place.run(program, [example(name), elsewhere, ...site().slice(1), ...more])
      expect([code, stderr]).toEqual([1, 'No answer that can be used. Check SERVICE, and run it again.\n'])
    }
    server.close()
    expect(() => place.read(keeps)).toThrow('ENOENT')
  })

  test.each([
    ['no JSON', '<p>Log in</p>', 1, /^No answer that can be used/],
    ['no object', '["text"]', 1, /^No answer that can be used/],
    ['no receipt', '{"ok":true}', 1, /^No answer that can be used/],
    [
      'without a private link',
      '{"status":"unavailable","productUrl":"https://x.com/","ownership":{}}',
      0,
      /no private link/,
    ],
  ])('keeps its receipt if a later one is %s', async (_what, answer, code, words) => {
    const proxy = await spoiling((nth, response) => nth > 1 && !!response.end(answer))
    const args = [example(name), proxy.url, ...site().slice(1), '--user-approved']
    expect(await place.run(program, args)).toMatchObject({ code: 0 })
    const receipt = place.read(`${keeps}.receipt`)
    expect(receipt).toContain('#owner=')
    const again = await place.run(program, args)
    proxy.close()
    expect([again.code, again.stderr + again.stdout.split('\n').at(-2)]).toEqual([code, expect.stringMatching(words)])
    expect(place.read(`${keeps}.receipt`)).toBe(receipt)
  })
})

it.skipIf(!areInstalled('bash', 'curl', 'openssl'))(
  'the example curl.sh takes no option of curl in an address',
  async () => {
    const proxy = await spoiling(() => false)
    const injected = `http://${host}/\nurl = ${proxy.url}${PUBLISH_PATH} z`
    const ran = await place.run('bash', [example('curl.sh'), service.url, injected, CATEGORY, '--user-approved'])
    proxy.close()
    expect(proxy.published()).toEqual([])
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('line breaks') })
  },
)

it('the example mcp.ts checks, asks for a price, and searches', async () => {
  await place.run(process.execPath, [example('library.ts'), ...site(), '--user-approved'])
  const { code, stdout, stderr } = await place.run(process.execPath, [example('mcp.ts'), ...site(), 'welcome'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('"code": "destination_already_listed"')
  expect(stdout).toContain('"chargeAmountCents": 2500')
  expect(stdout).toContain(`"productUrl": "${publicPage()}"`)
  const wrong = await place.run(process.execPath, [example('mcp.ts'), service.url, 'http://x/', CATEGORY])
  expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('invalid_destination') })
})

describe('the example of a GitHub workflow', () => {
  const source = readFileSync(example('github-action/list-at-release.yml'), 'utf8')
  const workflow = parse(source) as {
    jobs: { list: { steps: { name?: string; uses?: string; run?: string; env?: Record<string, string> }[] } }
  }

  it('is one that GitHub takes', async () => {
    expect(await workflowFaults(source)).toEqual([])
    expect(await workflowFaults(source.replace('runs-on:', 'runs-at:'))).not.toEqual([])
    expect(await workflowFaults(source.replace('vars.PLACARD_SERVICE', 'wars.PLACARD_SERVICE'))).not.toEqual([])
  })

  it('uses the client that the site serves, and other actions by their commit', () => {
    expect(source).toContain('npx --yes "$PLACARD_SERVICE/client/placard-agent.tgz" ')
    for (const { uses } of workflow.jobs.list.steps) {
      if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/)
    }
  })

  /** Runs the workflow's own steps, as a runner would. */
  async function release(secrets: { journal: string; approved: string }) {
    const values: Record<string, string> = {
      'inputs.customer-approved || vars.PLACARD_CUSTOMER_APPROVED': secrets.approved,
      'secrets.PLACARD_JOURNAL': secrets.journal.trimEnd(),
    }
    const common = {
      PLACARD_SERVICE: service.url,
      DESTINATION: `http://${host}/`,
      RUNNER_TEMP: place.path('.'),
      GITHUB_STEP_SUMMARY: place.path('summary'),
      // The client comes from the site alone.
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_update_notifier: 'false',
    }
    let said = ''
    for (const { run, env = {} } of workflow.jobs.list.steps) {
      if (!run) continue
      const own = Object.entries(env).map(([name, value]) => [name, values[value.slice(3, -2).trim()] ?? value])
      const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run]
      const ran = await place.run('bash', shell, { ...common, ...Object.fromEntries(own) })
      said += ran.stdout + ran.stderr
      if (ran.code !== 0) return { code: ran.code, said }
    }
    return { code: 0, said }
  }

  const test = it.skipIf(!areInstalled('bash'))

  test('lists the project at its release, and has the receipt at the next', async () => {
    const make = `printf 'yes\\n' | "$0" "$@"`
    const args = [process.execPath, example('github-action/journal.ts'), ...site(), 'journal.jsonl']
    const made = await place.run('bash', ['-c', make, ...args])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`Welcome to ${host}`) })
    expect(made.stdout).toContain('gh secret set PLACARD_JOURNAL < journal.jsonl')
    expect((await fetch(publicPage())).status).toBe(404)

    const journal = place.read('journal.jsonl')
    const approved = `http://${host}/`
    for (const _release of [1, 2]) {
      const { code, said } = await release({ journal, approved })
      expect({ code, said }).toEqual({
        code: 0,
        said: expect.stringContaining(`published: ${publicPage()}\n`),
      })
      expect(said).not.toMatch(PRIVATE)
      expect(place.read('summary')).not.toMatch(PRIVATE)
      expect(place.read('placard-status.json')).not.toMatch(PRIVATE)
      expect(() => place.read('placard-journal.jsonl')).toThrow('ENOENT')
    }
    expect(service.sites.visits(host)).toBe(2)

    // The customer's own copy leads to the private link.
    const link = ['placard-agent', 'link', host, '--journal', 'journal.jsonl', '--show-secret-link']
    const shown = await place.run('npx', ['--offline', ...link], { PLACARD_SERVICE: service.url })
    expect(shown.stdout).toContain('#owner=')
  })

  test('names its next commands so that a shell takes an address and a file as they are', async () => {
    const destination = `http://${host}/?a=1&b=$HOME;it's`
    const args = [
      process.execPath,
      example('github-action/journal.ts'),
      service.url,
      destination,
      CATEGORY,
      'my journal',
    ]
    const made = await place.run('bash', ['-c', `printf 'yes\\n' | "$0" "$@"`, ...args])
    const commands = made.stdout.slice(made.stdout.indexOf('  gh '))
    const gh = `gh() { printf '<%s>' "$@"; if [ "$1" = secret ]; then cat; fi; echo; }`
    const { stdout } = await place.run('bash', ['-c', `${gh}\n${commands}`])
    expect(stdout.split('\n').filter(line => line !== '')).toEqual([
      `<secret><set><PLACARD_JOURNAL>${place.read('my journal').trimEnd()}`,
      `<variable><set><PLACARD_SERVICE><--body><${service.url}>`,
      `<variable><set><PLACARD_DESTINATION><--body><${destination}>`,
      `<variable><set><PLACARD_CUSTOMER_APPROVED><--body><${destination}>`,
    ])
  })

  test('makes no journal and publishes nothing without a yes', async () => {
    const make = `printf 'perhaps\\n' | "$0" "$@"`
    const args = [process.execPath, example('github-action/journal.ts'), ...site(), 'journal.jsonl']
    expect((await place.run('bash', ['-c', make, ...args])).code).toBe(1)
    expect(() => place.read('journal.jsonl')).toThrow('ENOENT')
    for (const approved of ['', 'yes', 'http://another.com/']) {
      const { code, said } = await release({ journal: '', approved })
      expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('has not said yes') })
    }
    const { code, said } = await release({ journal: '', approved: `http://${host}/` })
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining('unknown_submission') })
    expect((await fetch(publicPage())).status).toBe(404)
  })
})
