import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../server/test/support/process.ts'
import type { TestService } from '../../server/test/support/service.ts'
import { runCommand } from './log-service.ts'
import { CATEGORY, credentialsIn, newJournal, PRIVATE_PART, realService } from './real-service.ts'

/** Runs the installed command as an agent does. */
async function placardAgent(...args: string[]) {
  const { ended, output } = run('client/dist/cli.js', args, {})
  return { code: await ended, output: output() }
}

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

describe('the command, on the real service,', { tags: ['programs'] }, () => {
  const common = () => ['--service', service.url]

  test('shows what it offers', async () => {
    const { code, output } = await placardAgent('capabilities', ...common())
    expect(code).toBe(0)
    expect(output).toContain('Categories (28)')
    expect(output).toMatch(/^Contract +2026-09-06$/m)
  })

  test('shows a price and who must confirm it', async () => {
    const args = ['quote', 'https://bakery.com/', '--category', CATEGORY, '--board', 'today', '--target', '5']
    const { code, output } = await placardAgent(...args, ...common())
    expect(code).toBe(0)
    expect(output).toContain('5.00 USD would bring https://bakery.com/ to 5.00 USD on the board "today".')
    expect(output).toContain(`${service.url}/promote?destination=https%3A%2F%2Fbakery.com%2F`)
  })

  test('speaks of options and commands where the service speaks of its fields and operations', async () => {
    const quote = (...more: string[]) =>
      placardAgent('quote', 'https://bakery.com/', '--board=all', ...more, ...common())
    expect((await quote('--category', CATEGORY, '--target', '1')).output).toMatch(
      /^placard-agent: --target must be .*: the total you want on the board, not the increment\. \(400 invalid_target_bid --target\)\n/,
    )
    expect((await quote('--category=None', '--target=5')).output).toContain(
      'The category must be one of the English category IDs. To list them, run placard-agent capabilities. (400 unknown',
    )
    const asked = ['publish', 'https://bakery.com/', '--category', CATEGORY, '--journal', newJournal(), '--ask-as']
    expect((await placardAgent(...asked, 'a'.repeat(61), ...common())).output).toMatch(
      /^placard-agent: --ask-as is longer than 60 characters\./,
    )
  })

  test('names the service address if that has a path', async () => {
    for (const path of ['/board', '/api/v1', '/mcp/']) {
      const address = `${service.url}${path}`
      for (const args of [
        ['capabilities'],
        ['check', 'http://bakery.com', '--category', CATEGORY],
        ['publish', 'http://bakery.com', '--category', CATEGORY, '--user-approved', '--journal', newJournal()],
        ['verify', 'board', '--journal', newJournal()],
      ]) {
        const { code, stderr } = await runCommand([...args, '--service', address])
        const [error, advice = '', ...next] = stderr.split('\n').filter(Boolean)
        expect(code).toBe(1)
        expect(error).toBe(
          `placard-agent: ${address.replace(/\/$/, '')} is not the address of a Placard site, which ends after the host. (404 not_found)`,
        )
        expect(advice).toContain(`Use ${service.url} as the service address.`)
        expect(next).toEqual([])
      }
    }
  })

  test('publishes, repeats, and shows the private link only on request', async () => {
    const journal = newJournal()
    const args = ['publish', 'http://command.com/', '--category', CATEGORY, '--user-approved', '--journal', journal]
    const first = await placardAgent(...args, ...common())
    expect(first).toEqual({ code: 0, output: expect.stringMatching(/^Published\.\n/) })
    expect(first.output).toContain(`${service.url}/product/command-com`)
    expect(first.output).toContain('Share the public page only. Give the private link to the customer in private:')
    const again = await placardAgent(...args, ...common())
    expect(again).toEqual({ code: 0, output: first.output.replace('Published.', 'Published earlier.') })
    expect(first.output).not.toMatch(PRIVATE_PART)
    // Without its category, in another spelling, and at whatever service it was.
    const asked = await placardAgent('status', 'www.command.com', '--journal', journal)
    expect(asked).toEqual({ code: 0, output: expect.stringContaining('Published earlier.') })

    const refused = await placardAgent('link', '--journal', journal)
    expect(refused).toEqual({ code: 2, output: expect.stringContaining('(not_a_terminal)') })
    const shown = await placardAgent('link', 'command.com', '--journal', journal, '--show-secret-link', '--json')
    const { privateLink } = JSON.parse(shown.output)
    expect(privateLink).toMatch(PRIVATE_PART)
    // The link works: its token opens a visit.
    const [page, token] = privateLink.split('#owner=')
    const opened = await fetch(`${page}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    })
    expect(opened.status).toBe(204)
    for (const { secret = '' } of credentialsIn(journal)) {
      expect(first.output + again.output + shown.output).not.toContain(secret)
    }
  })

  test('says why it was refused and exits 1', async () => {
    const publish = (host: string) =>
      placardAgent(
        ...['publish', `http://${host}/`, '--category', CATEGORY, '--user-approved', '--journal', newJournal()],
        ...common(),
      )
    await publish('owned.com')
    const taken = await publish('owned.com')
    expect(taken).toEqual({ code: 1, output: expect.stringContaining('409 destination_already_listed') })
    service.sites.set('missing.com', (_request, response) => response.writeHead(404).end())
    const missing = await publish('missing.com')
    expect(missing).toEqual({ code: 1, output: expect.stringContaining('422 review_rejected not_found') })
    expect(missing.output).toContain('publish again')
  })
})
