// @module-tag programs
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFrom, warningsAbout } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { IS_RELEASE, VERSION } from '../../../src/platform/lib/package.ts'
import { startService } from '../../../src/start.ts'
import { operate } from '../../support/operate.ts'
import { run, type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, PUBLIC, publish, publishBody } from '../../support/service.ts'
import { goodPage, startSites } from '../../support/sites.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'placard-life-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const GUESSABLE = /"level":40.*A service key has few different bytes, or bytes that count up/

const { BASE_URL: _, ...WITHOUT_BASE_URL } = PUBLIC

describe('the life of the service', () => {
  it('starts on an empty folder, creates private files, answers probes, and exits 0 on SIGTERM', async () => {
    const service = await startProcess({ DATA_DIR: join(dataDir, 'deep', 'er') })
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'alive' })
    const { commit, ...ready } = (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, string>
    expect(ready).toEqual({ status: 'ready', version: VERSION })
    const full = IS_RELEASE || commit === undefined ? VERSION : `${VERSION}+${commit}`
    expect(service.output()).toContain(`Placard ${full} is ready at`)
    expect(service.output()).not.toMatch(GUESSABLE)
    expect(await operate({}, '--version')).toEqual({ code: 0, output: `${full}\n` })
    for (const file of ['service.key', 'placard.db', 'sandbox.db']) {
      expect([file, statSync(join(dataDir, 'deep', 'er', file)).mode & 0o777]).toEqual([file, 0o600])
    }
    expect(readFileSync(join(dataDir, 'deep', 'er', 'service.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('stops right after its start without a failed drawing', async () => {
    const service = await startProcess({ DATA_DIR: dataDir, PLACARD_DRAWS_AHEAD: 'yes' })
    expect(await service.end('SIGTERM')).toBe(0)
    expect(service.output()).not.toContain('could not')
  })

  it('warns loudly if FETCH_CONNECT_TO is set, and finishes requests under way before it exits', async () => {
    const sites = await startSites()
    let finish = () => {}
    sites.set('slow.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const service = await startProcess({ DATA_DIR: dataDir, FETCH_CONNECT_TO: sites.connectTo })
    expect(service.output()).toMatch(/"level":40.*FETCH_CONNECT_TO/)
    const answer = publish(service, newCredentials(), publishBody('http://slow.com'))
    await expect.poll(() => sites.visits('slow.com')).toBe(1)
    const ended = service.end('SIGTERM')
    await expect.poll(() => service.output()).toContain('stopping')
    finish()
    expect((await answer).status).toBe(201)
    expect(await ended).toBe(0)
    await sites.close()
  })

  it('logs what a request did with the id of its reply, and does not wait for unused connections', async () => {
    const service = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'debug' })
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1')
    const closed = new Promise(resolve => silent.once('close', resolve))
    await new Promise(resolve => silent.once('connect', resolve))
    for (const path of ['/healthz', '/none']) {
      const { status, headers } = await fetch(service.url + path)
      const line = { level: 20, reqId: headers.get('x-request-id'), status, msg: 'request' }
      await expect
        .poll(() =>
          service
            .output()
            .match(/^\{.*"request"\}$/gm)
            ?.map(line => JSON.parse(line)),
        )
        .toContainEqual(expect.objectContaining(line))
    }
    expect(await service.end('SIGTERM')).toBe(0)
    await closed
  })

  it('warns if a public board has no contact address', () => {
    const warnings = (env: Env) => warningsAbout(configFrom(env), {}).join('\n')
    expect(warnings(PUBLIC)).toContain('SUPPORT_URL')
    expect(warnings({ ...PUBLIC, SUPPORT_URL: 'mailto:help@placard.example.org' })).not.toContain('SUPPORT_URL')
    expect(warnings({ BASE_URL: 'http://127.0.0.1:8080' })).not.toContain('SUPPORT_URL')
  })

  it.each<[name: string, env: Env, right: Env]>([
    ['BASE_URL', { BASE_URL: 'http://placard.example.org' }, {}],
    ['TRUSTED_PROXIES', {}, { TRUSTED_PROXIES: '127.0.0.1' }],
    ['TRUSTED_PROXIES', {}, { HOST: '0.0.0.0' }],
    ['STRIPE_WEBHOOK_SECRET', {}, { STRIPE_WEBHOOK_SECRET: `whsec_${'aB3'.repeat(11)}` }],
    [
      'STRIPE_WEBHOOK_SECRET',
      { STRIPE_WEBHOOK_SECRET: `whsec_${'aB3'.repeat(11)}"` },
      { STRIPE_WEBHOOK_SECRET: `whsec_${'0f'.repeat(32)}` },
    ],
    ['STOP_DELAY', { STOP_DELAY: '16' }, { STOP_DELAY: '15' }],
    ['MODERATION_API_KEY', { REVIEWERS: 'moderation' }, { MODERATION_API_KEY: 'k' }],
    ['MODERATION_API_KEY', { REVIEWERS: 'moderation' }, { MODERATION_URL: 'http://127.0.0.1:9/' }],
  ])('warns of what is set, but hardly meant: %s, given %j and not %j', (name, env, right) => {
    const warned = (more: Env) =>
      warningsAbout(configFrom({ ...PUBLIC, ...env, ...more }), {}).some(line => line.startsWith(`${name} `))
    expect([warned({}), warned(name === 'BASE_URL' ? { BASE_URL: 'https://placard.example.org' } : right)]).toEqual([
      true,
      false,
    ])
  })

  it('warns that traces go over HTTP alone', () => {
    const config = configFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' })
    const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
    expect(warningsAbout(config, grpc)).toEqual([expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL is grpc/)])
    expect(warningsAbout(config, {})).toEqual([])
    expect(warningsAbout(configFrom({}), grpc)).toEqual([])
  })

  it('warns of a service key that can be guessed, in a setting or a file', async () => {
    const warned = async (env: Env) => {
      const service = await startProcess({ ...env })
      await service.end('SIGTERM')
      return GUESSABLE.test(service.output())
    }
    const counted = Buffer.from(Array.from({ length: 32 }, (_, nth) => nth + 1)).toString('hex')
    expect(await warned({ DATA_DIR: dataDir, SERVICE_KEY: counted })).toBe(true)
    const repeated = join(dataDir, 'repeated')
    mkdirSync(repeated, { mode: 0o700 })
    writeFileSync(join(repeated, 'service.key'), `${'0123456789abcdef'.repeat(4)}\n`, { mode: 0o600 })
    expect(await warned({ DATA_DIR: repeated })).toBe(true)
  })

  it.each([
    ['HOST', '999.1.1.1'],
    ['HOST', 'placard..com'],
    ['PORT', '80800'],
    ['BASE_URL', 'placard.com'],
    ['DATABASE_URL', 'mysql://root:hunter2@localhost/x'],
    ['SERVICE_KEY', 'hunter2'],
    ['SERVICE_KEY', `${'ab'.repeat(32)},hunter2`],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.1,::/0'],
    ['TRUSTED_PROXIES', '::ffff:0:0/96'],
    ['TRUSTED_PROXIES', '0:0:0:0:0:ffff:0:0/96'],
    ['SANDBOX_FROM', '10.0.0.0/8'],
    ['SUBMISSIONS_END_AT', 'tomorrow'],
    ['SUBMISSIONS_END_AT', '2026-02-30T00:00:00Z'],
    ['DNS_SERVERS', 'dns.example'],
    ['FETCH_CONNECT_TO', 'a:b:c:d'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['PAYMENTS', 'cash'],
    ['STRIPE_SECRET_KEY', 'hunter2'],
    ['STRIPE_WEBHOOK_SECRET', 'hunter2'],
    // With characters that no header can contain: every publish would get 503, or each backup fail.
    ['MODERATION_API_KEY', 'hunter2\u200b'],
    ['WEB_RISK_API_KEY', '“hunter2”'],
    ['AWS_ACCESS_KEY_ID', '\u200bAKIAIOSFODNN7EXAMPLE'],
    ['STRIPE_API_URL', 'not an address'],
  ])('names a bad %s in one line, and not what a secret is: %s', (name, value) => {
    const env = { ...(name.startsWith('STRIPE_') && PUBLIC), [name]: value }
    expect(() => configFrom(env)).toThrow(new RegExp(`^${name} [^\n]+$`))
    expect(() => configFrom(env)).not.toThrow('hunter2')
  })

  it.each([
    [{ PAYMENTS: 'sandbox', BASE_URL: 'https://placard.example.org' }],
    [{ PAYMENTS: 'sandbox', BASE_URL: 'http://127.0.0.1.example.org' }],
    [{ PAYMENTS: 'sandbox', BASE_URL: 'http://notlocalhost' }],
    [{ PAYMENTS: 'sandbox', BASE_URL: 'http://0.0.0.0:8080' }],
    [{ PAYMENTS: 'sandbox', HOST: '192.0.2.1' }],
    [{ PAYMENTS: 'sandbox', HOST: '10.0.0.0' }],
    [{ PAYMENTS: 'sandbox', HOST: '2001:db8::1' }],
    [{ PAYMENTS: 'sandbox', HOST: '::ffff:192.0.2.1' }],
    [{ PAYMENTS: 'sandbox', BASE_URL: 'http://10.0.0.1' }],
  ])('refuses the sandbox where the public could see it: %j', env => {
    expect(() => configFrom(env)).toThrow(/^PAYMENTS sandbox moves no money [^\n]+$/)
  })

  it.each([
    [{ ...PUBLIC, STRIPE_SECRET_KEY: 'sk_test_nobody' }],
    [{ ...PUBLIC, STRIPE_SECRET_KEY: 'rk_test_nobody' }],
    [{ ...WITHOUT_BASE_URL, STRIPE_SECRET_KEY: 'sk_test_nobody', HOST: '192.0.2.1' }],
  ])('refuses test money where the public could see it: %j', env => {
    expect(() => configFrom(env)).toThrow(/^STRIPE_SECRET_KEY is a test key, [^\n]+$/)
    const allowed = configFrom({ ...env, ALLOW_TEST_MONEY: '1' })
    expect([allowed.isMoneyPlay, allowed.stripe]).toEqual([true, expect.objectContaining({ name: 'stripe_test' })])
  })

  it.each([
    [{ ...PUBLIC, ALLOW_TEST_MONEY: '1' }, 'stripe'],
    [{ ...PUBLIC, STRIPE_SECRET_KEY: 'rk_live_nobody' }, 'stripe'],
    [{ ...PUBLIC, STRIPE_SECRET_KEY: 'sk_test_nobody', BASE_URL: 'http://localhost:8080' }, 'stripe_test'],
  ])('calls money play only where a public board is allowed test money: %j', (env, name) => {
    expect(configFrom(env)).toMatchObject({ isMoneyPlay: false, stripe: { name } })
  })

  it.each([
    ['ALLOW_TEST_MONEY', { ...PUBLIC, STRIPE_SECRET_KEY: 'sk_test_nobody', ALLOW_TEST_MONEY: 'yes' }],
    [
      'PAYMENTS sandbox moves no money',
      { PAYMENTS: 'sandbox', BASE_URL: 'https://placard.example.org', ALLOW_TEST_MONEY: '1' },
    ],
    ['STRIPE_SECRET_KEY', { ...PUBLIC, STRIPE_SECRET_KEY: 'sk_of_no_mode' }],
  ])('says what is wrong with the kind of money: %s', (begin, env) => {
    expect(() => configFrom(env)).toThrow(new RegExp(`^${begin} [^\n]+$`))
  })

  it('exits 1 with that one line, here of a secret', async () => {
    const env = { DATA_DIR: dataDir, ...PUBLIC, STRIPE_SECRET_KEY: 'hunter2' }
    const { output, ended } = run('server/bundled/main.js', [], env)
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard cannot start: STRIPE_SECRET_KEY [^\n]+\n$/)
    expect(output()).not.toContain('hunter2')
  })

  it('warns of a misspelt setting in one line at start, even if the start then fails', async () => {
    const service = await startProcess({ DATA_DIR: dataDir, LIMIT_QUOTES_PER_MINUTE: '7', HOSTNAME: 'box' })
    await service.end('SIGTERM')
    expect(
      service
        .output()
        .split('\n')
        .filter(line => line.startsWith('Placard: ')),
    ).toEqual(['Placard: LIMIT_QUOTES_PER_MINUTE is not a setting. Did you mean LIMIT_QUOTES_PER_MINUTE_PER_IP?'])
    const { output, ended } = run('server/bundled/main.js', [], {
      PAYMENTS: 'stripe',
      STRIPE_SECRETKEY: 'hunter2',
    })
    expect(await ended).toBe(1)
    expect(output()).toMatch(
      /^Placard: STRIPE_SECRETKEY [^\n]+ STRIPE_SECRET_KEY\?\nPlacard cannot start: STRIPE_SECRET_KEY [^\n]+\n$/,
    )
    expect(output()).not.toContain('hunter2')
    const operated = run('server/bundled/placard.js', ['list'], { DATADIR: dataDir, DATA_DIR: '' })
    await operated.ended
    expect(operated.output()).toContain('placard: DATADIR is not a setting. Did you mean DATA_DIR?\n')
  })

  it('says in one line that PostgreSQL needs SERVICE_KEY, or cannot be reached', async () => {
    const without = run('server/bundled/main.js', [], {
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://127.0.0.1:1/x',
    })
    expect(await without.ended).toBe(1)
    expect(without.output()).toMatch(/^Placard cannot start: SERVICE_KEY must be set with DATABASE_URL[^\n]+\n$/)
    const unreachable = run('server/bundled/main.js', [], {
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x',
      SERVICE_KEY: 'ab'.repeat(32),
    })
    expect(await unreachable.ended).toBe(1)
    expect(unreachable.output()).toMatch(
      /^Placard cannot start: [^\n]*ECONNREFUSED[^\n]*Check PostgreSQL and DATABASE_URL\n$/,
    )
    expect(unreachable.output()).not.toContain('hunter2')
  })

  it('says in one line that the port is taken, the folder is a file, or others can read the key', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    for (const [name, env] of [
      ['HOST \\S+ PORT \\d+', { PORT: String(port) }],
      ['METRICS_LISTEN \\S+', { PORT: '0', METRICS_LISTEN: `127.0.0.1:${port}` }],
    ] as const) {
      const taken = run('server/bundled/main.js', [], { DATA_DIR: dataDir, ...env })
      expect(await taken.ended).toBe(1)
      expect(taken.output()).toMatch(
        new RegExp(`^Placard cannot start: ${name} [^\\n]*EADDRINUSE[^\\n]*, or choose another port\\n$`),
      )
    }
    // Of networks for documentation.
    for (const [name, env] of [
      ['HOST \\S+ PORT \\d+', { PORT: '0', HOST: '192.0.2.1' }],
      ['METRICS_LISTEN \\S+', { PORT: '0', METRICS_LISTEN: 'nowhere.invalid:1' }],
    ] as const) {
      const elsewhere = run('server/bundled/main.js', [], { DATA_DIR: dataDir, ...env })
      expect(await elsewhere.ended).toBe(1)
      expect(elsewhere.output()).toMatch(
        new RegExp(`^Placard cannot start: ${name} cannot be used: [^\\n]+ Choose an address of this machine\\n$`),
      )
    }
    // A database that an older version still uses would have been migrated.
    expect(existsSync(join(dataDir, 'placard.db'))).toBe(false)
    server.close()

    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    const blocked = run('server/bundled/main.js', [], { DATA_DIR: file })
    expect(await blocked.ended).toBe(1)
    expect(blocked.output()).toMatch(/^Placard cannot start: DATA_DIR [^\n]+\n$/)

    writeFileSync(join(dataDir, 'service.key'), 'ab'.repeat(32))
    chmodSync(join(dataDir, 'service.key'), 0o644)
    const open = run('server/bundled/main.js', [], { DATA_DIR: dataDir })
    expect(await open.ended).toBe(1)
    expect(open.output()).toMatch(/^Placard cannot start: [^\n]+chmod 600\n$/)
  })

  it.each(['file/below', 'fifo/below', 'loop/below', 'dangling', '/dev/null/below'])(
    'says in one line that a folder cannot be created: %s',
    async path => {
      writeFileSync(join(dataDir, 'file'), '')
      execFileSync('mkfifo', [join(dataDir, 'fifo')])
      symlinkSync('loop', join(dataDir, 'loop'))
      symlinkSync('nowhere', join(dataDir, 'dangling'))
      await expect(startService(configFrom({ DATA_DIR: resolve(dataDir, path), PORT: '0' }))).rejects.toThrow(
        /^DATA_DIR [^\n]+ cannot be created or is not a folder: [^\n]+$/,
      )
    },
  )

  it('exits 1 with that line, here of a folder in /proc, which another way to create it would try for ever', async () => {
    const { output, ended } = run('server/bundled/main.js', [], { DATA_DIR: '/proc/placard', PORT: '0' })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard cannot start: DATA_DIR [^\n]+ cannot be created or is not a folder: [^\n]+\n$/)
  })

  it.skipIf(process.getuid?.() === 0)('says in one line that it may not enter its folder', async () => {
    mkdirSync(join(dataDir, 'closed'), { mode: 0 })
    const { output, ended } = run('server/bundled/main.js', [], {
      DATA_DIR: join(dataDir, 'closed', 'below'),
    })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard cannot start: DATA_DIR [^\n]+EACCES[^\n]+\n$/)
  })

  it.each(['service.key', 'placard.db', 'placard.lock'])(
    'says in one line that %s is not a file, and does not wait for its contents',
    async name => {
      execFileSync('mkfifo', ['-m', '600', join(dataDir, name)])
      const { output, ended } = run('server/bundled/main.js', [], { DATA_DIR: dataDir, PORT: '0' })
      expect(await ended).toBe(1)
      expect(output()).toMatch(new RegExp(`^Placard cannot start: [^\n]*${name} is not a regular file\n$`))
    },
  )

  it('warns while another instance uses its folder, and never because one did', async () => {
    const isWarned = (service: ServiceProcess) => /"level":40.*Another instance/.test(service.output())
    const first = await startProcess({ DATA_DIR: dataDir })
    const second = await startProcess({ DATA_DIR: dataDir })
    expect([isWarned(first), isWarned(second)]).toEqual([false, true])
    await first.end('SIGTERM')
    // The second is still there.
    const third = await startProcess({ DATA_DIR: dataDir })
    expect(isWarned(third)).toBe(true)
    await Promise.all([second.end('SIGKILL'), third.end('SIGKILL')])
    const alone = await startProcess({ DATA_DIR: dataDir })
    expect(isWarned(alone)).toBe(false)
    await alone.end('SIGTERM')
  })

  it.each(['--help', '-h'])('names the command that lists its settings with %s, and starts nothing', async option => {
    const { output, ended } = run('server/bundled/main.js', [option], { DATA_DIR: '/dev/null/none' })
    expect(await ended).toBe(0)
    expect(output()).toMatch(/^Usage: npm run placard -- serve\n/)
    expect(output()).toContain('; "npm run placard -- settings" lists them.\n')
  })

  it('starts from the command, in the same process and with the options of npm start', async () => {
    const { child, output, ended } = run('server/bundled/placard.js', ['serve'], { DATA_DIR: dataDir, PORT: '0' })
    await expect.poll(output).toContain('is ready at')
    const [, ...words] = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
    const { scripts } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'))
    expect(`node ${words.join(' ')}`.replace(`${process.cwd()}/`, '')).toBe(scripts.start)
    expect(output()).not.toContain('Warning')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it.each([['--port=9'], ['serve'], ['--help=yes']])('says in one line that it does not take %s', async (...args) => {
    const { output, ended } = run('server/bundled/main.js', args, { DATA_DIR: '/dev/null/none' })
    expect(await ended).toBe(2)
    expect(output()).toBe(
      `Placard cannot start: unknown argument "${args.at(-1)}". Settings are environment variables; "npm run placard -- settings" lists them\n`,
    )
  })

  it.each(['server/bundled/main.js', 'server/bundled/placard.js'])(
    'checks the version before loading anything an older Node cannot parse: %s',
    async entry => {
      const pretend = `data:text/javascript,import {registerHooks} from 'node:module'
        Object.defineProperty(process.versions,'node',{value:'18.20.8'})
        registerHooks({load(url,context,next){
          if(/^node:|(main|placard|node-version)\\.js$/.test(url)) return next(url,context)
          throw new SyntaxError('not for this Node: '+url)}})`
      const { output, ended } = run(
        entry,
        [],
        { DATA_DIR: dataDir },
        { nodeArgs: ['--import', pretend.replaceAll(/\n\s*/g, ';')] },
      )
      expect(await ended).toBe(1)
      expect(output()).toMatch(/^Placard needs Node 24 or newer, but this is 18\.20\.8\.[^\n]+\n$/)
    },
  )

  it.each(['examples/demo.ts', 'bench/run.ts'])('says in one line that %s needs a newer Node', async entry => {
    const pretend = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})"
    const { output, ended } = run(entry, [], { DATA_DIR: dataDir }, { nodeArgs: ['--import', pretend] })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^Placard needs Node 24 or newer, but this is 20\.20\.2\.[^\n]+\n$/)
  })
})
