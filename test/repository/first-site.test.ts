// @module-tag programs
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MailServer, startMailServer } from '../../server/test/domain/notifications/owner/mail-server.ts'
import { makeAuthority } from '../../server/test/support/certificates.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { type S3Server, startS3 } from '../../server/test/support/s3.ts'
import { newCredentials, publishBody } from '../../server/test/support/service.ts'
import { type Sites, startSites } from '../../server/test/support/sites.ts'
import { type BareMachine, bareDebian } from './bare-debian.ts'
import { mayIsolate } from './isolated.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** If not, server-package.test.ts still installs the package and publishes. */
const isShown = mayIsolate('NOT SHOWN: the set-up of docs/install.md on Debian')
/** What the machine is given. Users other than root read it. */
const given = mkdtempSync(join(tmpdir(), 'placard-first-site-'))
chmodSync(given, 0o755)

let machine: BareMachine
let s3: S3Server
let mail: MailServer
let sites: Sites
let authority: Awaited<ReturnType<typeof makeAuthority>>
let port: number
let replaced: [from: string, to: string][]

beforeAll(async () => {
  if (!isShown) return
  ;[s3, mail, sites, authority, port] = [
    await startS3(),
    await startMailServer(),
    await startSites(),
    await makeAuthority(),
    await freePort(),
  ]
  execFileSync(process.execPath, ['scripts/pack.ts', given], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const [tarball = ''] = globSync('*.tgz', { cwd: given })
  renameSync(join(given, tarball), join(given, 'placard.tgz'))
  const { key, cert } = await authority.issue('localhost')
  for (const [name, content] of Object.entries({ key, cert, ca: authority.cert }))
    writeFileSync(join(given, `${name}.pem`), content)
  const servicePort = await freePort()
  replaced = [
    ['https://github.com/placard/placard/releases/latest/download/placard.tgz', '/mnt/placard.tgz'],
    ['placard.example.org {', `localhost:${port} {\\n  tls /mnt/cert.pem /mnt/key.pem`],
    ['https://placard.example.org', `https://localhost:${port}`],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
    ['smtps://placard:password@mail.example.org', mail.env.SMTP_URL],
    ['s3://my-bucket/board?endpoint=https://s3.example.org&region=eu-1', s3.address('site')],
    ['example-key', s3.env.AWS_ACCESS_KEY_ID],
    ['example-secret', s3.env.AWS_SECRET_ACCESS_KEY],
    // So that the test need not wait for a backup, and reads a website of its own.
    ['PAYMENTS=none', `PAYMENTS=none\nPORT=${servicePort}\nBACKUP_EVERY=5s\nFETCH_CONNECT_TO=${sites.connectTo}`],
  ]
  machine = await bareDebian(given, {
    NODE_EXTRA_CA_CERTS: '/mnt/ca.pem',
    CURL_CA_BUNDLE: '/mnt/ca.pem',
    DEBIAN_FRONTEND: 'noninteractive',
    npm_config_prefer_offline: 'true',
    PLACARD_DRAWS_AHEAD: 'no',
  })
})
afterAll(async () => {
  machine?.remove()
  for (const server of [s3, mail, sites]) await server?.close()
  rmSync(given, { recursive: true, force: true })
})

/** The commands of a section of the handbook, with the values of this test. */
function commandsOf(page: string, heading: string): string[] {
  const [, section = ''] = readFileSync(join(root, 'docs', page), 'utf8').split(`\n${heading}\n`)
  const [own = ''] = section.split(/^##+ /m)
  const shown = [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('')
  const commands = shown.match(/^.*<<END\n(?:.*\n)*?END$|^(?:.*\\\n)*.*$/gm) ?? []
  return commands
    .filter(each => each !== '')
    .map(each => replaced.reduce((line, [from, to]) => line.replaceAll(from, to), each))
}

/** Runs commands one after the other, and prints how long each took. @returns what each printed */
async function follow(commands: string[]): Promise<string[]> {
  const printed: string[] = []
  const took: string[] = []
  const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1).padStart(5)
  const began = performance.now()
  for (const command of commands) {
    const at = performance.now()
    printed.push(await machine.run(command))
    took.push(`${seconds(at)} s  ${command.split('\n')[0]}`)
  }
  console.log([...took, `${seconds(began)} s  in all: ${commands.length} commands`].join('\n'))
  return printed
}

/** Requests a path from outside, over TLS. */
async function ask(path: string, options: { method?: string; headers?: Record<string, string> } = {}, body = '') {
  const sent = request(`https://localhost:${port}${path}`, { ...options, ca: authority.cert, agent: false })
  sent.end(body)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.on('response', resolve).on('error', reject)
  const response = await promise
  return { status: response.statusCode, text: await text(response) }
}

it.runIf(isShown)('is public after 12 commands of docs/install.md, and comes back from its backup alone', async () => {
  const commands = commandsOf('install.md', '## A public site on Debian')
  expect(commands).toHaveLength(12)
  const printed = await follow(commands)
  const [ada = '', ben = '', doctor = ''] = printed.slice(-3)
  for (const about of ['certificate', 'address', 'proxy', 'mail', 'key'])
    expect(doctor).toMatch(new RegExp(`^ok +${about} `, 'm'))
  for (const invitation of [ada, ben]) {
    const [link = ''] = invitation.split('\n')
    expect((await ask(new URL(link).pathname)).text).toContain('passkey')
  }

  const { key, secret } = newCredentials()
  const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-submission-secret': secret }
  const body = JSON.stringify(publishBody('http://sunrise-bakery.com/'))
  const publish = () => ask(PUBLISH_PATH, { method: 'POST', headers }, body)
  const published = await publish()
  expect([published.status, JSON.parse(published.text).status]).toEqual([201, 'published'])
  expect((await ask('/')).text).toContain('sunrise-bakery.com')

  const backups = () => globSync('**/manifest.json.age._S3rver_object', { cwd: s3.directory })
  const before = backups().length
  // One may have begun before the listing was published, so the second one has it.
  await expect.poll(() => backups().length).toBeGreaterThan(before + 1)
  expect(await machine.run('placard doctor')).toMatch(/^ok +backup /m)

  await follow(commandsOf('backup-and-upgrade.md', '### Restore with systemd'))
  await expect.poll(async () => (await ask('/readyz')).status).toBe(200)
  const replayed = await publish()
  expect([replayed.status, replayed.text]).toEqual([200, published.text])
})
