// @module-tag programs
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CATEGORIES, ERRORS, EXAMPLES } from '@placard/contract'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { serviceAddress } from '../../client/src/service/address.ts'
import { destinationKey } from '../../client/src/submissions/destination-key.ts'
import { VERSION } from '../../client/src/version.ts'
import {
  acceptOneKey,
  CATEGORY,
  credentialsOf,
  DESTINATION,
  ended,
  journalLines,
  newClient,
  PIPED,
  RECEIPT,
  REQUEST,
  runHere,
} from '../../client/test/fixtures.ts'
import { answer, hangUp, hangUpHalfway, refuse, reply, type Step, startPeer, stayMute } from '../../client/test/peer.ts'
import { credentialsIn, newJournal, PRIVATE_PART, realService } from '../../client/test/real-service.ts'
import { CAPABILITIES, CHECK } from '../../client/test/replies.ts'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { openStore } from '../../server/src/platform/db/open.ts'
import { selfSigned } from '../../server/test/support/certificates.ts'
import { migratedDatabase } from '../../server/test/support/engines.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { operateHere } from '../../server/test/support/operate.ts'
import { startProcess } from '../../server/test/support/process.ts'
import type { TestService } from '../../server/test/support/service.ts'
import { goodPage, sendHtml, startSites } from '../../server/test/support/sites.ts'
import { areInstalled } from '../programs.ts'

const SCRIPT = fileURLToPath(new URL('../../client-python/placard_agent.py', import.meta.url))
const built = (name: string) => fileURLToPath(new URL(`../../server/bundled/client/${name}`, import.meta.url))
const PARKED = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
const accept = reply(201, RECEIPT)
const KEY = '5b0e2a86-4f0c-4c6e-9a43-2d7d1b1f6f0a'
/** Nested deeper than Python parses. */
const brackets: Step = response => {
  response.setHeader('content-type', 'application/json').end('['.repeat(200_000))
}
/** As Windows does, reads text in an encoding of its own unless told otherwise. */
const READS_CP1252 = `
import io, runpy, sys
sys.stdin = io.TextIOWrapper(sys.stdin.buffer, encoding="cp1252")
sys.exit(runpy.run_path(sys.argv.pop(1))["main"]())`
/** As Windows does, adds a byte to each line end that is written to a file opened without O_BINARY. */
const AS_ON_WINDOWS = `
import os, runpy, sys
(opens, writes), os.O_BINARY, binary = (os.open, os.write), 1 << 30, set()
def open_(name, flags, *more, **named):
    descriptor = opens(name, flags & ~os.O_BINARY, *more, **named)
    (binary.add if flags & os.O_BINARY else binary.discard)(descriptor)
    return descriptor
def write(descriptor, data):
    writes(descriptor, data if descriptor in binary else data.replace(b"\\n", b"\\r\\n"))
    return len(data)
os.open, os.write = open_, write
sys.exit(runpy.run_path(sys.argv.pop(1))["main"]())`
/** Lets no file grow beyond the size that one has, as on a full disk. */
const ON_A_FULL_DISK = `
import os, resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(sys.argv.pop(1)),) * 2)
sys.exit(runpy.run_path(sys.argv.pop(1))["main"]())`
/** Answers a question at a terminal of its own, and prints what appears there. */
const AT_A_TERMINAL = `
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp("python3", ["python3", "-I", *sys.argv[2:]])
typed, said = sys.argv[1].encode(), b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    said += part
    if typed and b"Type yes to publish: " in said:
        os.write(terminal, typed)
        typed = b""
sys.stdout.buffer.write(said)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`

type Piped = ChildProcessByStdio<Writable | null, Readable, Readable>
/** Starts the client with no environment but the path, where Python is. */
function start(args: string[], script = [SCRIPT], input: 'ignore' | 'pipe' = 'ignore') {
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn('python3', ['-I', ...script, ...args], { stdio: [input, 'pipe', 'pipe'], env }) as Piped
  return { child, ended: ended(child) }
}
const python = (...args: string[]) => start(args).ended
/** Runs the command several times in one process, since most of the time of one goes into starting Python. */
async function pythonEach(commands: string[][]): Promise<{ code: number; stdout: string; stderr: string }[]> {
  const program = `
import contextlib, io, json, runpy, sys
main = runpy.run_path(sys.argv[1])["main"]
def run(args):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(args)
    return {"code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}
print(json.dumps([run(args) for args in json.loads(sys.argv[2])]))`
  const { stdout } = await start(['-c', program, SCRIPT, JSON.stringify(commands)], []).ended
  return JSON.parse(stdout)
}
/** Lines of the help for commands that only the client for Node has. */
const ONLY_IN_NODE = /^ {2}(?:watch|proof|verify|mcp|approve|export|import|completion) .*\n/gm
/** Runs commands in the client for Node, and then in the one for Python, which must print the same and end the same. */
async function same(commands: string[][], between = () => {}): Promise<void> {
  const inNode = []
  for (const words of commands) inNode.push(await runHere(words))
  between()
  // Each of them asks the service by itself, and a minute may pass in between.
  const withoutTimes = (text: string) => text.replace(/\d\d:\d\d UTC/g, 'then')
  const printed = (each: { stdout: string; stderr: string }) => ({
    ...each,
    stdout: withoutTimes(each.stdout)
      .replace(ONLY_IN_NODE, '')
      .replace('. Of verify:\n     something does not agree', ''),
    // Python has no `import`.
    stderr: withoutTimes(each.stderr)
      .replace(/run `placard-agent import` with (that machine’s journal)/, 'use $1')
      .replace('import that machine’s', 'use that machine’s')
      .replace(/(?<=The commands are )[a-z, ]+/, 'these'),
  })
  expect((await pythonEach(commands)).map(printed)).toEqual(inNode.map(printed))
}
const publish = (service: string, journal: string, ...more: string[]) => [
  ...['publish', DESTINATION, '--category', CATEGORY, '--user-approved', '--service', service, '--journal', journal],
  ...more,
]

describe.skipIf(!areInstalled('python3'))('the Python client', () => {
  describe('on the real service', () => {
    let service: TestService
    const started = realService()
    beforeAll(() => {
      service = started()
    })
    const at = (journal: string) => ['--service', service.url, '--journal', journal]

    it('checks, shows a price, publishes, and shares its journal with the client for Node', async () => {
      const journal = newJournal()
      const site = ['http://python.com/', '--category', CATEGORY]
      const on = ['--service', service.url]
      const [wrong, twice, offer, checked, price, asked] = await pythonEach([
        ['capabilities', ...at(journal)],
        ['publish', ...site, '--category=Games', '--user-approved', ...at(journal)],
        ['capabilities', ...on],
        ['check', ...site, ...on],
        ['quote', ...site, '--board', 'all', '--target', '25', ...on],
        ['publish', ...site, ...at(journal)],
      ])
      expect([wrong?.code, wrong?.stderr]).toEqual([2, expect.stringContaining('no option --journal')])
      expect([twice?.code, twice?.stderr]).toEqual([2, expect.stringContaining('--category is given twice. (usage)')])
      expect([offer?.code, offer?.stdout]).toEqual([0, expect.stringContaining('Categories (28)')])
      expect([checked?.code, checked?.stdout]).toEqual([0, expect.stringMatching(/would be accepted\.\n\nTitle /)])
      expect(price?.stdout).toContain('25.00 USD would bring http://python.com/ to 25.00 USD on the board "all".')
      expect([asked?.code, asked?.stderr]).toEqual([2, expect.stringContaining('(approval_required --user-approved)')])
      const first = await python('publish', ...site, '--user-approved', ...at(journal))
      expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Published\.\n/) })
      expect(first.stdout).toContain(`${service.url}/product/python-com\n`)
      expect(statSync(journal).mode & 0o777).toBe(0o600)
      // The other client continues with the same key, and this one then reads what the other wrote.
      const other = await runHere(['publish', ...site, ...at(journal), '--json'])
      expect(JSON.parse(other.stdout)).toMatchObject({ replayed: true, receipt: { status: 'published' } })
      const again = await python(
        'publish',
        'http://WWW.python.com//index.html?a#b',
        ...site.slice(1),
        ...at(journal),
        '--json',
      )
      expect(JSON.parse(again.stdout)).toEqual(JSON.parse(other.stdout))
      const [{ secret = '' } = {}, ...more] = credentialsIn(journal)
      expect(more).toEqual([])

      const status = await python('status', 'python.com', '--journal', journal, '--json')
      const known = await newClient(service.url, { journalPath: journal }).status()
      const { answeredAt: _, ...sameAsThere } = JSON.parse(status.stdout)
      expect(JSON.parse(JSON.stringify(known))).toMatchObject(sameAsThere)
      const refused = await python('link', '--journal', journal)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('(not_a_terminal)')])
      const shown = await python('link', 'python.com', '--journal', journal, '--show-secret-link', '--json')
      expect(JSON.parse(shown.stdout).privateLink).toBe(known.privateLink?.reveal())
      const printed = [first, again, status, refused].map(({ stdout, stderr }) => stdout + stderr).join('')
      expect(printed).not.toMatch(PRIVATE_PART)
      expect(printed).not.toContain(secret)
    })

    it('tells why a website was refused, and appeals once', async () => {
      service.clock.now = Date.now()
      const journal = newJournal()
      service.sites.set('python-parked.com', (_request, response) => sendHtml(response, PARKED))
      const args = ['publish', 'http://python-parked.com/', '--category', CATEGORY, '--user-approved', ...at(journal)]
      const refused = await python(...args, '--json')
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      const { decisionId, next } = JSON.parse(refused.stderr)
      expect(next).toMatch(/ check http:\/\/python-parked\.com\/ --category .* --service /)
      const decided = await python('decision', 'python-parked.com', '--journal', journal)
      expect([decided.code, decided.stdout]).toEqual([0, expect.stringContaining(`Decision     ${decisionId}\n`)])
      const appeal = ['appeal', decisionId, '--journal', journal]
      const statement = ['--statement', 'It is a shop – честно.']
      expect((await python(...appeal, ...statement)).stderr).toContain('(approval_required --user-approved)')
      const fromInput = [...appeal, '--statement', '-', '--user-approved', '--json']
      const appealing = start(fromInput, ['-c', READS_CP1252, SCRIPT], 'pipe')
      appealing.child.stdin?.end('It is a shop – честно.\n')
      const sent = await appealing.ended
      expect(JSON.parse(sent.stdout)).toMatchObject({ id: decisionId, appeal: { statement: 'It is a shop – честно.' } })
      // The same again changes nothing, and the client for Node knows of it.
      expect((await python(...appeal)).code).toBe(0)
      const other = await python(...appeal, '--statement', 'Other.')
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('(already_appealed)')])
      const known = await newClient(service.url, { journalPath: journal }).list()
      expect(known).toMatchObject([{ state: 'refused', appeal: { state: 'received' } }])
    })

    it('prints what the client for Node prints', async () => {
      service.clock.now = Date.now()
      service.sites.set('same-parked.com', (_request, response) => sendHtml(response, PARKED))
      const journal = newJournal()
      const [kept, on] = [at(journal), ['--service', service.url]]
      const site = (name: string, category = CATEGORY) => [`http://same-${name}.com/`, '--category', category]
      const yes = '--user-approved'
      for (const name of ['open', 'parked']) await runHere(['publish', ...site(name), yes, ...kept])
      const statement = ['--statement', 'It is a shop.']
      await same([
        ...[
          ['capabilities', ...on],
          ['check', ...site('open'), ...on],
          ['check', ...on],
          ['check', 'http://a.com/', ...on],
        ],
        ...['--board=week', '--board=all', '--target=3', '--category=None'].map(each => [
          'quote',
          ...site('open'),
          '--board=all',
          each,
          ...on,
        ]),
        ...[site('new'), site('open', 'Games'), site('open')].map(words => ['publish', ...words, ...kept]),
        ...['open', 'parked', 'none'].map(name => ['status', `same-${name}.com`, ...kept]),
        ...[
          ['status', ...kept],
          ['list', ...kept],
          ['resume', ...kept],
          ['link', 'same-open.com', ...kept],
        ],
        ['link', 'same-parked.com', '--show-secret-link', ...kept],
        ...['same-open.com', KEY].map(which => ['decision', which, ...kept]),
        ...[
          ['decision', ...kept],
          ['appeal', ...kept],
          ['appeal', ...statement, ...kept],
        ],
        ['appeal', 'same-open.com', ...statement, yes, ...kept],
        ['appeal', '--statement', '', yes, ...kept],
      ])
      await runHere(['appeal', ...statement, yes, ...kept])
      await same([
        ['appeal', '--statement', 'Another one.', yes, ...kept],
        ...['status', 'decision'].map(name => [name, 'same-parked.com', ...kept]),
      ])
      await operateHere(service.database.env, 'hide', 'same-open-com', '--reason', 'Spam.', '--as', 'anna')
      await same([...['status', 'decision'].map(name => [name, 'same-open.com', ...kept]), ['list', ...kept]])
    })

    it('can be installed from its wheel, and used as a library', async () => {
      const { files } = JSON.parse(readFileSync(built('files.json'), 'utf8'))
      const wheel = built(files.find(({ name }: { name: string }) => name.endsWith('.whl')).name)
      const program = [
        'import base64, hashlib, json, sys, zipfile',
        'wheel = zipfile.ZipFile(sys.argv[1])',
        'record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))',
        'for line in wheel.read(record).decode().splitlines()[:-1]:',
        '    name, digest, size = line.split(",")',
        '    found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")',
        '    assert (digest, int(size)) == (f"sha256={found}", wheel.getinfo(name).file_size), name',
        'sys.path.insert(0, sys.argv[1])',
        'from placard_agent import Journal, PlacardClient, PlacardError, VERSION',
        'client = PlacardClient(sys.argv[2], Journal(sys.argv[3]))',
        'site = ("http://python-library.com/", "Games")',
        'try:',
        '    client.publish(*site, user_approved=False)',
        'except PlacardError as error:',
        '    kind = error.kind',
        'runs = [client.publish(*site, user_approved=True) for _ in range(2)]',
        'print(json.dumps([VERSION, kind, [run.replayed for run in runs], client.status().state, repr(runs), len(wheel.namelist())]))',
      ].join('\n')
      const script = join(dirname(dirname(newJournal())), 'program.py')
      writeFileSync(script, program)
      const { stdout, stderr } = await start([wheel, service.url, newJournal()], [script]).ended
      expect(stderr).toBe('')
      const [version, kind, replayed, state, shown, count] = JSON.parse(stdout)
      expect([version, kind, replayed, state, count]).toEqual([VERSION, 'usage', [false, true], 'accepted', 6])
      expect(shown).not.toMatch(PRIVATE_PART)
      // With pip, if it is there, the wheel brings the command.
      if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0) return
      const target = join(dirname(script), 'installed')
      const pip = start(['-m', 'pip', 'install', '--no-index', '--no-compile', '--target', target, wheel], [])
      expect((await pip.ended).stdout).toContain('Successfully installed placard-agent-')
      expect(readFileSync(join(target, 'bin/placard-agent'), 'utf8')).toContain('placard_agent')
    })
  })

  it.each([
    ['no\n', 2, 'publish: no\nplacard-agent: Nothing was published. (declined)\n'],
    ['\u0004', 2, 'publish: \nplacard-agent: Nothing was published. (declined)\n'],
    ['\u0003', 130, 'publish: ^C'],
    ['yes\n', 0, 'publish: yes\nPublished.\n'],
  ])('asks at a terminal, where %j ends it with %i', async (typed, code, shown) => {
    const peer = await startPeer(accept)
    const words = ['publish', DESTINATION, '--category', CATEGORY, '--service', peer.url, '--journal', newJournal()]
    const done = await start([typed, SCRIPT, ...words], ['-c', AT_A_TERMINAL]).ended
    expect([done.code, done.stdout.replaceAll('\r\n', '\n')]).toEqual([code, expect.stringContaining(shown)])
    expect(peer.arrivals).toHaveLength(code === 0 ? 1 : 0)
  })

  it('waits for no statement at a terminal', async () => {
    const words = ['appeal', KEY, '--statement', '-', '--service', 'http://127.0.0.1:1']
    const done = await start(['', SCRIPT, ...words], ['-c', AT_A_TERMINAL]).ended
    expect([done.code, done.stdout]).toEqual([2, expect.stringContaining('type the statement after --statement.')])
  })

  it('says of errors, of a check and of an offer what the client for Node says', async () => {
    const steps: Step[] = [
      refuse(400, 'invalid_body', { field: 'approval' }),
      refuse(400, 'unknown_category', { field: 'category' }),
      refuse(403, 'cross_origin_rejected'),
      refuse(404, 'not_found'),
      refuse(400, 'invalid_approval_code', { error: ERRORS.invalid_approval_code.error }),
      refuse(409, 'destination_already_listed'),
      refuse(410, 'submissions_closed'),
      refuse(422, 'review_rejected', { decisionId: KEY }),
      refuse(429, 'quota_ip', { retryAfterSeconds: 86_400, error: ERRORS.check_quota_ip.error }),
      refuse(503, 'review_unavailable', { reason: 'site_slow' }),
      answer(502, 'text/html', '<p>No</p>'),
      response => void response.end('untyped'),
      reply(301, {}, { location: 'https://other.example/' }),
      reply(400, { code: 'invalid_body', error: ' ', chargeCreated: false }),
    ]
    const journals = steps.map(newJournal)
    const commands: string[][] = []
    for (const [index, step] of steps.entries()) {
      const journal = journals[index] ?? ''
      const sent = publish((await startPeer(step)).url, journal, '--wait', '0')
      commands.push(sent, ['list', '--journal', journal])
    }
    const at = ['--service', (await startPeer(reply(200, CHECK))).url]
    commands.push(['check', DESTINATION, '--category', CATEGORY, ...at])
    commands.push(['capabilities', '--service', (await startPeer(reply(200, CAPABILITIES))).url])
    const off = refuse(503, 'payment_evidence_unavailable', { reason: 'payments_off' })
    const price = ['--board', 'all', '--target', '25', '--service', (await startPeer(off)).url]
    commands.push(['quote', DESTINATION, '--category', CATEGORY, ...price])
    await same(commands, () => journals.forEach(each => void rmSync(each)))
  })

  it('has the help of the client for Node, and answers a wrong command line as that does', async () => {
    const names = 'capabilities check quote publish status link list resume decision appeal'.split(' ')
    const lines = [
      ...['--foo', 'check --boards x', 'check --caetgory Games', 'publish --category', 'publish --yes', 'list -y'],
      ...['check --json=1', 'check --help=1', 'check --service -x', 'list --service --wait', 'chek a', 'help chek'],
      ...[
        'check',
        'check a b',
        'list a',
        'list --wait 3',
        'list --journal=',
        'check -- -a',
        'check a --category=',
        'status --wait=x',
      ],
    ]
    await same([
      ...[[], ['help'], ['help', 'help']],
      ...names.flatMap(each => [
        ['help', each],
        [each, '-h'],
      ]),
    ])
    await same(lines.map(line => line.split(' ')))
    const others = 'watch proof verify mcp approve export import completion'.split(' ')
    for (const { stderr } of await pythonEach(others.map(each => [each]))) {
      expect(stderr).toContain('Only the client for Node has the command ')
    }
  })

  it('suggests what the client for Node suggests, and sends nothing', async () => {
    const peer = await startPeer(accept)
    const at = ['--service', peer.url]
    const near = (category: string) => [
      category.replace('&', 'and').toLowerCase(),
      `${category.slice(1, 2)}${category.slice(0, 1)}${category.slice(2)}`,
      category.slice(0, -1),
    ]
    const journal = ['--journal', newJournal(), '--user-approved']
    const categories = CATEGORIES.filter(each => each !== 'Events').flatMap(near)
    const hosts = [
      'shop.com',
      'WWW.Shop.dev/About?a=1',
      '//shop.de',
      'shop.com.',
      'a.b.page/x.html#y',
      'ftp://shop.dev',
    ]
    const none = [
      'example.com',
      'shop.notatld',
      'com',
      'localhost',
      'a.-shop.com',
      'shop.dev:80',
      'shop.dev/a b',
      'ü.dev',
    ]
    const long = [`${'a'.repeat(64)}.dev`, `shop.dev/${'a'.repeat(21)}`, 'a'.repeat(501)]
    await same([
      ...categories.map(each => ['check', DESTINATION, '--category', each, ...at]),
      ...[...hosts, ...none, ...long, ''].map(each => ['check', each, '--category', CATEGORY, ...at]),
      ['quote', DESTINATION, '--category=gmaes', '--board', 'all', '--target', '3', ...at],
      ['publish', 'shop.dev', '--category', CATEGORY, ...at, ...journal],
      ['publish', DESTINATION, '--category', 'developer tool', ...at, ...journal],
      ['publish', DESTINATION, '--category', '', ...at, ...journal],
    ])
    expect(peer.arrivals).toEqual([])
  })

  it('says of a decision that cannot be read now what the client for Node says', async () => {
    const journal = newJournal()
    const limited = refuse(429, 'rate_limited', { retryAfterSeconds: 600 })
    const peer = await startPeer(accept, limited, limited, limited, limited, hangUp)
    await runHere(publish(peer.url, journal))
    const words = ['--user-approved', '--statement', 'It is ours.', '--wait', '0', '--journal', journal]
    const read = [
      ['decision', '--wait', '0', '--journal', journal],
      ['appeal', ...words],
    ]
    await same(read)
    await same(read)
  })

  it('names what happened to a connection as the client for Node does', async () => {
    const gone = await startPeer(accept)
    await gone.stop()
    const services = [gone.url, (await startPeer(hangUp)).url, (await startPeer(hangUpHalfway)).url]
    const commands = services.map(each => publish(each, newJournal(), '--wait', '0'))
    await same(commands, () => commands.forEach(words => void rmSync(words[words.indexOf('--journal') + 1] ?? '')))
  })

  it('killed between the journal and the answer, and run again, sends the same and gets the receipt', async () => {
    const journal = newJournal()
    const peer = await startPeer(stayMute, accept)
    const first = start(publish(peer.url, journal))
    await expect.poll(() => peer.arrivals.length).toBe(1)
    first.child.kill('SIGKILL')
    await first.ended
    expect(journalLines(journal)).toHaveLength(1)
    // A crash of the machine may also cut off a line that was being written.
    appendFileSync(journal, '{"sum":"0123456789abcdef","bytes":120,"v":2,"type":"outc')
    const second = await python(...publish(peer.url, journal))
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(RECEIPT.productUrl) })
    const [before, after] = peer.arrivals.map(credentialsOf)
    expect(after).toEqual(before)
    // Both clients still read it.
    expect(await newClient(peer.url, { journalPath: journal }).list()).toMatchObject([{ state: 'accepted' }])
  })

  it('finds the listing of a submission that it replaced, if a kill hid that it was accepted', async () => {
    const journal = newJournal()
    const peer = await startPeer(refuse(429, 'quota_ip'), acceptOneKey())
    const args = publish(peer.url, journal, '--wait', '0')
    await python(...args)
    const beforeKill = readFileSync(journal)
    await python(...args)
    writeFileSync(journal, beforeKill)
    const other = await python(...args.map(each => (each === CATEGORY ? 'Games' : each)))
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('(other_category category)')])
    expect(await newClient(peer.url, { journalPath: journal }).list()).toMatchObject([{ state: 'accepted' }])
  })

  it('gets its receipt from a service that was killed half-way, once it is back: one listing, one key', async () => {
    const database = await migratedDatabase('sqlite')
    const sites = await startSites()
    sites.set('killed.com', () => {})
    const port = String(await freePort())
    const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo, PORT: port }
    const dying = await startProcess(env)
    const journal = newJournal()
    const args = ['publish', 'http://killed.com/', '--category', CATEGORY, '--user-approved', '--journal', journal]
    const publishing = start([...args, '--service', `http://127.0.0.1:${port}`, '--json'])
    await expect.poll(() => sites.visits('killed.com')).toBe(1)
    await dying.end('SIGKILL')
    sites.set('killed.com', goodPage)
    const store = await openStore(configFrom(database.env))
    // The lease of the dead process ends: here at once, in life after half a minute.
    await store.db.updateTable('attempt').set({ leaseUntil: 0 }).execute()
    const service = await startProcess(env)
    const { code, stdout } = await publishing.ended
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'published' }])
    const attempts = await store.db.selectFrom('attempt').select(['idempotencyKey', 'state']).execute()
    expect(attempts).toEqual([{ idempotencyKey: credentialsIn(journal)[0]?.key, state: 'published' }])
    await store.close()
    expect(await service.end('SIGTERM')).toBe(0)
    await sites.close()
    await database.remove()
  })

  it('in several processes at once publishes one destination with one key', async () => {
    const journal = newJournal()
    const peer = await startPeer(acceptOneKey())
    const runs = await Promise.all(Array.from({ length: 4 }, () => python(...publish(peer.url, journal))))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
  })

  describe('with --ask-as', () => {
    const asked = (status: string) => reply(200, { ...EXAMPLES.approval.example, status })
    const args = (service: string, journal: string) =>
      publish(service, journal, '--ask-as', 'Mara’s assistant').filter(each => each !== '--user-approved')

    it('asks the customer in a browser, waits, and publishes with the answer', async () => {
      const journal = newJournal()
      const peer = await startPeer(asked('waiting'), asked('approved'), hangUp, accept)
      const { code, stderr } = await python(...args(peer.url, journal))
      const { approvalUrl, code: approvalCode } = EXAMPLES.approval.example
      expect([code, stderr]).toEqual([0, expect.stringContaining(`\n${approvalUrl}\n`)])
      const [question, wait, ...sent] = peer.arrivals
      expect(JSON.parse(question?.body ?? '')).toEqual({
        ...{ destination: DESTINATION, category: CATEGORY, agent: 'Mara’s assistant' },
      })
      expect([wait?.path, wait?.headers.prefer]).toEqual([`/api/v1/agent/approvals/${approvalCode}`, 'wait=25'])
      const bodies = sent.map(({ body }) => JSON.parse(body).approval)
      expect(bodies).toEqual(Array(2).fill(expect.objectContaining({ userApproved: true, approvalCode })))
      expect(journalLines(journal)[0]).toMatchObject({ approval: { how: 'approved in a browser', code: approvalCode } })
    })

    it('waits on through a limit, and for two seconds if it is answered at once', async () => {
      const limited = refuse(429, 'rate_limited', {}, { 'retry-after': '1' })
      const peer = await startPeer(asked('waiting'), asked('waiting'), limited, asked('approved'), accept)
      const began = performance.now()
      const { code } = await python(...args(peer.url, newJournal()), '--wait', '0')
      expect([code, peer.arrivals.length]).toEqual([0, 5])
      expect(performance.now() - began).toBeGreaterThan(4000)
    })

    it('asks nothing if it was published under another category, and says what a refusal to ask means', async () => {
      const journal = newJournal()
      const peer = await startPeer(accept, refuse(409, 'destination_already_listed'))
      await python(...publish(peer.url, journal))
      const given = args(peer.url, journal).map(each => (each === CATEGORY ? 'Games' : each))
      expect(await python(...given)).toMatchObject({ code: 2, stderr: expect.stringContaining('(other_category ') })
      expect(peer.arrivals).toHaveLength(1)
      const listed = await python(...args(peer.url, newJournal()))
      expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining('\nIf you published it from another ')])
    })

    it.each([
      ['declined', 'declined'],
      ['expired', 'approval_required'],
    ])('publishes nothing if the request is %s', async (status, error) => {
      const journal = newJournal()
      const peer = await startPeer(asked('waiting'), asked(status))
      const { code, stderr } = await python(...args(peer.url, journal))
      expect([code, stderr]).toEqual([2, expect.stringContaining(`(${error})`)])
      expect(peer.arrivals).toHaveLength(2)
      expect(() => journalLines(journal)).toThrow('ENOENT')
    })
  })

  it('repeats the same after lost and broken answers, and waits as the body or the header asks', async () => {
    const unavailable = (more: object, headers = {}) => refuse(503, 'review_unavailable', more, headers)
    const peer = await startPeer(
      ...[hangUp, hangUpHalfway, reply(200, { ok: true })],
      ...[unavailable({ retryAfterSeconds: 1 }), unavailable({}, { 'retry-after': '2' }), accept],
    )
    const { code, stdout, stderr } = await python(...publish(peer.url, newJournal()))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Published\.\n/)])
    expect(stderr.match(/Retrying in \d+ s/g)?.slice(-2)).toEqual(['Retrying in 1 s', 'Retrying in 2 s'])
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
    expect(peer.arrivals).toHaveLength(6)
  })

  it('gets its receipt after what a proxy sends before it, and waits for no reply that comes too slowly', async () => {
    const hint: Step = (response, arrival) => {
      response.writeProcessing()
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }, () => accept(response, arrival))
    }
    const { code, stdout } = await python(...publish((await startPeer(hint)).url, newJournal(), '--wait', '0'))
    expect([code, stdout]).toEqual([0, expect.stringContaining(RECEIPT.productUrl)])
    const drip: Step = ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n')
      const dripping = setInterval(() => socket?.write('A: b\r\n'), 50)
      socket?.on('close', () => clearInterval(dripping)).on('error', () => {})
    }
    const program = `
import runpy, sys
client = runpy.run_path(sys.argv[1])["PlacardClient"](sys.argv[2], request_timeout=0.5, wait_budget=0)
client.capabilities()`
    const dripped = await start(['-c', program, SCRIPT, (await startPeer(drip)).url], []).ended
    expect([dripped.code, dripped.stderr]).toEqual([1, expect.stringContaining('did not answer within 0.5 seconds')])
  })

  it('makes a new key after a final refusal, and otherwise keeps its key', async () => {
    const cases: [string, Step, code: number, keys: number][] = [
      ['400', refuse(400, 'unknown_category', { field: 'category' }), 1, 2],
      ['409', refuse(409, 'destination_already_listed'), 1, 2],
      ['422', refuse(422, 'review_rejected', { reason: 'empty_page' }), 1, 2],
      ['403', refuse(403, 'cross_origin'), 1, 1],
      ['410', refuse(410, 'submissions_closed'), 1, 1],
      ['429', refuse(429, 'quota_ip', { retryAfterSeconds: 9999 }), 3, 1],
      ['a lost answer', hangUp, 3, 1],
      ['a redirect to no address', reply(302, {}, { location: 'http://[' }), 1, 1],
      ['a reply of brackets', brackets, 3, 1],
      ['a redirect', reply(307, {}, { location: 'http://127.0.0.1:1/' }), 1, 1],
    ]
    const peers = await Promise.all(cases.map(([, step]) => startPeer(step, accept)))
    const runs = await pythonEach(
      peers.flatMap(({ url }) => {
        const args = publish(url, newJournal())
        return [[...args, '--wait', '0', '--json'], args]
      }),
    )
    for (const [index, [name, , code, keys]] of cases.entries()) {
      const [first, second] = [runs[2 * index], runs[2 * index + 1]]
      expect([name, first?.code, first?.stdout, second?.code]).toEqual([name, code, '', 0])
      expect([name, JSON.parse(first?.stderr ?? '')]).toMatchObject([name, { keepCredentials: keys === 1 }])
      const sent = new Set(peers[index]?.arrivals.map(({ headers }) => headers['idempotency-key']))
      expect([name, sent.size]).toEqual([name, keys])
    }
  })

  it('says that a certificate is not valid, and that nothing was sent', async () => {
    const server = createServer(await selfSigned('localhost'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const site = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await python(...publish(site, newJournal(), '--wait', '0'))
    const what = /The certificate of the service is not valid here \(self.signed certificate\), so nothing was sent/
    expect([code, stderr]).toEqual([3, expect.stringMatching(what)])
  })

  it('resumes what is unfinished, and says so to programs', async () => {
    const journal = newJournal()
    const peer = await startPeer(hangUp, reply(200, RECEIPT))
    await python(...publish(peer.url, journal, '--wait', '0'))
    const listed = await python('list', '--journal', journal)
    expect(listed.stderr).toMatch(/^Next: python3 .* resume --journal /)
    const resumed = await python('resume', '--journal', journal, '--json')
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ destination: DESTINATION, replayed: true, receipt: {} }])
    expect(peer.arrivals).toHaveLength(2)
  })

  it('gets its receipt and the private link on a full disk, where no answer can be stored', async () => {
    const journal = newJournal()
    const peer = await startPeer(hangUp, reply(200, RECEIPT))
    await python(...publish(peer.url, journal, '--wait', '0'))
    const stored = readFileSync(journal)
    for (const [command, shown] of [
      ['status', RECEIPT.productUrl],
      ['link --show-secret-link', RECEIPT.ownership.privateRecoveryUrl],
    ] as const) {
      const words = [...command.split(' '), '--journal', journal]
      const { code, stdout } = await start(['-c', ON_A_FULL_DISK, journal, SCRIPT, ...words], []).ended
      expect([code, stdout]).toEqual([0, expect.stringContaining(shown)])
    }
    expect(readFileSync(journal)).toEqual(stored)
  })

  it('knows what changed after the clock was set back', async () => {
    const journal = newJournal()
    const peer = await startPeer(accept, reply(200, { ...RECEIPT, status: 'expired', expiresAt: 0 }))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 0, 1) })
    const published = newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    await published.finally(() => vi.useRealTimers())
    for (const command of ['status', 'list']) {
      expect((await python(command, '--journal', journal)).stdout).toContain('expired')
    }
  })

  it('reads its journal again where files have other line ends', async () => {
    const journal = newJournal()
    const peer = await startPeer(accept, reply(200, RECEIPT))
    for (const expected of ['Published.', 'Published earlier.']) {
      const args = publish(peer.url, journal, '--wait', '0')
      const { code, stdout } = await start(['-c', AS_ON_WINDOWS, SCRIPT, ...args], []).ended
      expect([code, stdout.split('\n', 1)]).toEqual([0, [expected]])
    }
    expect(readFileSync(journal, 'utf8')).not.toContain('\r')
  })

  it.each([
    ['a reader that leaves', '| true', 0, ''],
    ['no output', '>&-', 0, ''],
    ['a full disk', '> /dev/full', 3, 'placard-agent: The output could not be written: No space left on device. Run'],
  ])('ends in order with %s', async (_, redirected, code, says) => {
    const command = `set -o pipefail; python3 ${SCRIPT} help ${redirected}`
    const { status, stderr } = spawnSync('bash', ['-c', command], { ...PIPED, encoding: 'utf8' })
    expect([status, stderr]).toEqual([code, says && expect.stringMatching(new RegExp(`^${says}.*\n$`))])
  })

  it.each(['2>&-', '2> /dev/full', '2> >(true)', '<&-'])('ends as otherwise with %s', async redirected => {
    const peer = await startPeer(hangUp, accept)
    const args = publish(peer.url, newJournal()).map(each => `'${each}'`)
    const run = (words: string[]) =>
      once(spawn('bash', ['-c', `python3 ${SCRIPT} ${words.join(' ')} ${redirected}`]), 'exit')
    expect(await run(args.filter(each => each !== "'--user-approved'"))).toEqual([2, null])
    expect(peer.arrivals).toEqual([])
    expect(await run(args)).toEqual([0, null])
    expect(peer.arrivals).toHaveLength(2)
  })

  it('writes a service into the journal as the client for Node does', async () => {
    const addresses = [
      'https://München.example/',
      'https://MÜNCHEN.example:8443',
      'https://a.example:443/x/',
      'http://[::1]:80',
    ]
    const program =
      'import json, runpy, sys\nprint(json.dumps([*map(runpy.run_path(sys.argv[1])["service_address"], sys.argv[2:])]))'
    const { stdout } = await start([SCRIPT, ...addresses], ['-c', program]).ended
    expect(JSON.parse(stdout)).toEqual(addresses.map(serviceAddress))
  })

  it.each([
    ['no home folder', 'HOME=', 2, 'There is no home folder for the journal.'],
    [
      'a relative state folder',
      'HOME=/h XDG_STATE_HOME=x',
      0,
      'The journal /h/.local/state/placard/journal.jsonl holds',
    ],
  ])('begins no journal in the working folder with %s', async (_, env, code, says) => {
    const { status, output } = spawnSync('bash', ['-c', `${env} python3 ${SCRIPT} list`], {
      ...PIPED,
      encoding: 'utf8',
    })
    expect([status, output.join('')]).toEqual([code, expect.stringContaining(says)])
  })

  it('sends nothing to a proxy on the way to this machine', async () => {
    const [peer, proxy] = [await startPeer(accept), await startPeer(accept)]
    const args = publish(peer.url, newJournal(), '--wait', '0').map(each => `'${each}'`)
    const child = spawn('bash', ['-c', `http_proxy=${proxy.url} python3 ${SCRIPT} ${args.join(' ')}`])
    expect(await once(child, 'exit')).toEqual([0, null])
    expect([proxy.arrivals.length, peer.arrivals.length]).toEqual([0, 1])
  })

  it('writes hosts as the client for Node does, also with letters that Python writes otherwise', () => {
    const hosts = ['straße.de', 'www.bücher.de', 'www.βόλος.com', 'a.straße.co.uk', 'strasse.de']
    const program = `
import json, runpy, sys
client = runpy.run_path(sys.argv[1])
print(json.dumps([[client["service_address"](f"https://{host}"), client["destination_key"](f"https://{host}/")] for host in sys.argv[2:]]))`
    const { stdout } = spawnSync('python3', ['-c', program, SCRIPT, ...hosts], { encoding: 'utf8' })
    expect(JSON.parse(stdout)).toEqual(
      hosts.map(host => [serviceAddress(`https://${host}`), destinationKey(`https://${host}/`)]),
    )
  })

  it('takes an address with bytes that are no text', async () => {
    const peer = await startPeer(refuse(400, 'invalid_destination', { field: 'destination' }))
    // As Python reads such bytes of a command line.
    const program =
      'import runpy, sys\nsys.exit(runpy.run_path(sys.argv[1])["main"]([each.replace("?", "\\udcff") for each in sys.argv[2:]]))'
    const words = publish(peer.url, newJournal()).map(each => (each === DESTINATION ? `${each}?` : each))
    const { code, stderr } = await start([SCRIPT, ...words], ['-c', program]).ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('(400 invalid_destination destination)')])
    expect(peer.arrivals).toHaveLength(1)
  })

  it('sends nothing with a damaged journal, and nothing to a bad address', async () => {
    const journal = newJournal()
    const peer = await startPeer(accept)
    mkdirSync(dirname(journal), { recursive: true })
    writeFileSync(journal, '{"sum":"0123456789abcdef","bytes":3,"v":2}\n{}\n')
    const damaged = await python(...publish(peer.url, journal))
    expect([damaged.code, damaged.stderr]).toEqual([2, expect.stringContaining('(journal_damaged store)')])
    for (const address of ['http://placard.example', 'https://placard..example', 'https://placard.example/ü']) {
      const bad = await python(...publish(address, newJournal(), '--json'))
      const refused = { code: 'invalid_service_address', field: 'service' }
      expect([bad.code, JSON.parse(bad.stderr)]).toMatchObject([2, refused])
    }
    expect(peer.arrivals).toEqual([])
  })
})
