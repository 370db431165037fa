import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { misspeltSettings, readEnv, SETTINGS } from '../../server/src/platform/config/settings.ts'
import { startProcess } from '../../server/test/support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const deploy = join(root, 'deploy/container')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Service {
  profiles: string[]
  image: string
  build?: { context: string; dockerfile: string; target?: string }
  env_file?: { path: string; required: boolean }[]
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  networks: string[] | Record<string, { aliases?: string[]; ipv4_address?: string } | null>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  healthcheck?: { test: string[] }
  stop_grace_period?: string
}

/** Its types name files that its package lacks. */
interface Linter {
  lintFiles(paths: string[], isRecursive: boolean): { messages: { rule: string; message: string }[] }[]
}

/** Returns the compose file as Compose reads it with these variables; an empty one gets its default. */
const withVariables = (variables: Readonly<Record<string, string>>, file = 'compose.yaml') =>
  parse(
    read(`deploy/container/${file}`).replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (_, name, fallback = '') => variables[name] || fallback,
    ),
    { merge: true },
  ) as {
    services: Record<string, Service>
    networks: Record<string, { internal?: boolean; ipam?: { config: Record<string, string>[] } }>
    volumes: Record<string, unknown>
  }
const compose = withVariables({})
const services = Object.entries(compose.services)
const ofPlacard = services.filter(([name]) => name.startsWith('placard'))
const service = (name: string) => compose.services[name] as Service
const networkOf = (name: string) => compose.networks[name]?.ipam?.config[0] ?? {}

function isIn(range: string, address = ''): boolean {
  const [network = '', prefix] = range.split('/')
  const list = new BlockList()
  list.addSubnet(network, Number(prefix))
  return list.check(address)
}

describe('the compose files', () => {
  it('follow the schema of Compose and the rules of its linter', () => {
    const rules = {
      // Caddy is there for everybody.
      'no-unbound-port-interfaces': 0,
      'require-quotes-in-ports': [1, { quoteType: 'double' }],
      // They stand in the order of reading.
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
      'top-level-properties-order': 0,
    } as const
    const linter: Linter = new DCLinter({
      rules: { ...rules },
      quiet: false,
      debug: false,
      exclude: [],
    } as never)
    const results = linter.lintFiles([join(deploy, 'compose.yaml'), join(deploy, 'demo.yaml')], false)
    expect(results.map(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`))).toEqual([[], []])
  })

  it.each(services)('gives %s no rights that it does not need, and asks how it is', (name, each) => {
    expect(each).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    expect((each as { cap_add?: string[] }).cap_add ?? []).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : [])
    expect(each.profiles.filter(profile => !['sqlite', 'postgres'].includes(profile))).toEqual([])
    // The image of the service brings its own.
    expect(each.healthcheck === undefined).toBe(name.startsWith('placard'))
  })

  it('names files, volumes and networks that exist, and builds nothing', () => {
    for (const [, { build, volumes = [], networks }] of services) {
      expect(build).toBeUndefined()
      for (const [from = ''] of volumes.map(each => each.split(':'))) {
        expect(from.startsWith('./') ? existsSync(join(deploy, from)) : from in compose.volumes).toBe(true)
      }
      for (const name of Array.isArray(networks) ? networks : Object.keys(networks)) {
        expect(compose.networks).toHaveProperty(name)
      }
    }
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['caddy'])
  })

  it('runs the demo for this machine alone, on the port that its links name', () => {
    const { services: own, networks } = withVariables({}, 'demo.yaml')
    const { demo } = own
    expect(existsSync(join(deploy, demo?.build?.context ?? '', demo?.build?.dockerfile ?? ''))).toBe(true)
    const { PORT, SANDBOX_FROM } = demo?.environment ?? {}
    expect(demo?.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`])
    // Nobody but this machine comes through the gateway of the demo's own network.
    const { gateway, subnet = '' } = networks.demo?.ipam?.config[0] ?? {}
    expect(SANDBOX_FROM).toBe(gateway)
    expect(isIn(subnet, gateway)).toBe(true)
    expect(read('examples/story.ts')).toContain('process.env.SANDBOX_FROM')
    expect(validate(read('deploy/container/Dockerfile'))).toEqual([])
  })

  it.each(ofPlacard)('starts %s with settings that fit together, behind the Caddy that it trusts', (_name, each) => {
    const { environment = {} } = each
    expect(Object.keys(environment).filter(name => !(name in SETTINGS))).toEqual([])
    const secrets = { SERVICE_KEY: 'ab'.repeat(32) }
    expect(configFrom({ ...secrets, ...environment })).toMatchObject({
      port: 8080,
      baseUrl: 'https://localhost',
    })
    expect(each.networks).toHaveProperty('front.aliases', ['placard'])
    expect(read('deploy/container/Caddyfile')).toContain(`dynamic a placard ${environment.PORT} {`)
    const { front } = service('caddy').networks as Record<string, { ipv4_address: string }>
    expect(environment.TRUSTED_PROXIES).toBe(front?.ipv4_address)
    const { subnet = '', ip_range = '' } = networkOf('front')
    // Nobody else may get this address.
    expect([subnet, ip_range].map(range => isIn(range, front?.ipv4_address))).toEqual([true, false])
    expect(each.stop_grace_period).toBe('80s')
  })

  it('keeps SQLite on a volume, and PostgreSQL with two instances on a private network', () => {
    const withProfile = (profile: string) => ofPlacard.filter(([, { profiles }]) => profiles.includes(profile))
    expect(withProfile('sqlite').map(([, { volumes }]) => volumes)).toEqual([['placard:/data']])
    expect(withProfile('postgres')).toHaveLength(2)
    expect(compose.networks.back?.internal).toBe(true)
    expect(service('postgres').networks).toEqual(['back'])
    for (const [, { environment }] of withProfile('postgres')) {
      expect(environment?.DATABASE_URL).toMatch(/@postgres\/placard$/)
    }
  })

  it('takes an .env like the example', () => {
    const example = read('deploy/container/.env.example')
    const names = [...example.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
    const ofCompose = [...read('deploy/container/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    expect(
      names.filter(name => !(name in SETTINGS) && !ofCompose.includes(name) && name !== 'COMPOSE_PROFILES'),
    ).toEqual([])
    const filled = Object.fromEntries(names.map(name => [name, 'x']))
    expect(misspeltSettings(filled)).toEqual([])
    expect(Object.keys(readEnv(filled))).toContain('STRIPE_SECRET_KEY')
    expect(service('placard').env_file).toEqual([{ path: '.env', required: false }])
    expect(read('.gitignore')).toContain('.env\n')
  })
})

describe('an .env with nothing but a domain', () => {
  it('starts the service behind Caddy, with nothing for sale', { tags: ['programs'] }, async () => {
    const given = [...read('deploy/container/.env.example').matchAll(/^(\w+)=(.*)$/gm)]
    const example: Record<string, string> = Object.fromEntries(given.map(([, name = '', value = '']) => [name, value]))
    expect(Object.entries(example).filter(([, value]) => value !== '')).toEqual([
      ['COMPOSE_PROFILES', 'sqlite'],
      ['DOMAIN', 'placard.example.org'],
      ['PAYMENTS', 'none'],
    ])
    const filled = { ...example, DOMAIN: 'notices.example.net' }
    const dataDir = mkdtempSync(join(tmpdir(), 'placard-container-'))
    const running = await startProcess({
      ...filled,
      ...withVariables(filled).services.placard?.environment,
      // What differs from a container: this machine shares its ports and programs.
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
    })
    expect(running.output()).toContain('"payments":"none"')
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${running.url}/llms.txt`)).text()).toContain('https://notices.example.net/')
    expect(await running.end('SIGTERM')).toBe(0)
    rmSync(dataDir, { recursive: true })
  })
})

describe('the unit of systemd', () => {
  const unit = read('deploy/systemd/placard.service')
  const values = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value)

  it('starts the command of a global install, with settings that exist', () => {
    expect(values('ExecStart')).toEqual(['/opt/placard/bin/placard serve'])
    const set = values('Environment').map(each => each?.split('=')[0] ?? '')
    expect(set).toEqual(['DATA_DIR'])
    expect(values('WorkingDirectory')).toEqual(values('Environment').map(each => each?.split('=')[1]))
  })

  it('waits for the slowest order, and ends only the main process, which ends the others', () => {
    expect([values('TimeoutStopSec'), values('KillMode')]).toEqual([['80'], ['mixed']])
  })
})
