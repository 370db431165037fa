// @module-tag programs
// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { SETTINGS } from '../../server/src/platform/config/settings.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { newCredentials, publish, publishBody } from '../../server/test/support/service.ts'
import { startSites } from '../../server/test/support/sites.ts'
import { mayIsolate, runIsolated } from './isolated.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const outside = mkdtempSync(join(tmpdir(), 'placard-image-'))
// Another user than the one who made it starts what is in it.
chmodSync(outside, 0o755)
const archive = join(outside, 'archive')
const isIsolated = mayIsolate()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const made = (end: string) => join(outside, `placard-${version}${end}`)
const here = process.arch === 'arm64' ? 'arm64' : 'amd64'
/** How ELF names the processors. */
const PROCESSORS = { amd64: 0x3e, arm64: 0xb7 }
type Architecture = keyof typeof PROCESSORS

interface Descriptor {
  mediaType: string
  digest: string
  size: number
  platform?: { architecture: Architecture; os: string }
}
/** Returns a blob of the archive. @throws if its name is not the hash of its content, as every reader demands */
function blob({ digest, size }: Descriptor): Buffer {
  const bytes = readFileSync(join(archive, 'blobs', digest.replace(':', '/')))
  expect([`sha256:${hash('sha256', bytes)}`, bytes.length]).toEqual([digest, size])
  return bytes
}
const json = (descriptor: Descriptor) => JSON.parse(String(blob(descriptor)))
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const unpacked = (architecture: string) => join(outside, architecture)
const imageFor = (architecture: string) =>
  json(json(index).manifests.find((each: Descriptor) => each.platform?.architecture === architecture))
const filesOf = (folder: string) =>
  globSync('**', { cwd: folder }).filter(path => lstatSync(join(folder, path)).isFile())

let index: Descriptor

beforeAll(() => {
  for (const script of ['pack', 'image']) {
    execFileSync(process.execPath, [`scripts/${script}.ts`, outside], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  mkdirSync(archive)
  execFileSync('tar', ['-xf', made('-image.tar'), '-C', archive])
  ;[index] = readJson(join(archive, 'index.json')).manifests
  for (const architecture of Object.keys(PROCESSORS)) {
    mkdirSync(unpacked(architecture))
    for (const layer of imageFor(architecture).layers) {
      execFileSync('tar', ['-xzf', '-', '-C', unpacked(architecture)], { input: blob(layer) })
    }
  }
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

/** What a program inside sees, and where it can write. */
const LOOK = `JSON.stringify({
  user: process.getuid(),
  etc: fs.readdirSync('/etc').sort(),
  top: fs.readdirSync('/').sort(),
  written: ['/file', '/app/file', '/data/file'].map(path => {
    try { fs.writeFileSync(path, ''); return 'yes' } catch (error) { return error.code }
  }),
  processes: [...new Set(fs.readdirSync('/proc').filter(Number).map(pid => {
    try { return path.basename(fs.readlinkSync('/proc/' + pid + '/exe')) } catch (error) { return error.code }
  }))],
})`

describe('the OCI archive', () => {
  it('holds the image for both architectures, as OCI and Docker read it', () => {
    expect(readJson(join(archive, 'oci-layout'))).toEqual({ imageLayoutVersion: '1.0.0' })
    expect(json(index).manifests.map((each: Descriptor) => each.platform)).toEqual(
      Object.keys(PROCESSORS).map(architecture => ({ architecture, os: 'linux' })),
    )
    for (const [nth, architecture] of Object.keys(PROCESSORS).entries()) {
      const image = imageFor(architecture)
      const config = json(image.config)
      expect([config.architecture, config.os]).toEqual([architecture, 'linux'])
      const contents = image.layers.map((each: Descriptor) => `sha256:${hash('sha256', gunzipSync(blob(each)))}`)
      expect(config.rootfs).toEqual({ type: 'layers', diff_ids: contents })
      const path = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`
      expect(readJson(join(archive, 'manifest.json'))[nth]).toEqual({
        Config: path(image.config),
        RepoTags: [`ghcr.io/placard/placard:${version}-${architecture}`],
        Layers: image.layers.map(path),
      })
    }
  })

  it('is accepted by skopeo and umoci, if they are installed', () => {
    for (const tool of ['skopeo', 'umoci']) {
      if (spawnSync(tool, ['--version']).status === 0) continue
      return console.warn(`\nNOT TRIED: ${tool} is not installed (apt-get install skopeo umoci).\n`)
    }
    const layout = join(outside, 'layout')
    for (const architecture of Object.keys(PROCESSORS)) {
      const from = ['--override-arch', architecture, `oci-archive:${made('-image.tar')}`]
      execFileSync('skopeo', ['copy', '--quiet', '--insecure-policy', ...from, `oci:${layout}:${architecture}`])
    }
    const bundle = join(outside, 'bundle')
    execFileSync('umoci', ['unpack', '--rootless', '--image', `${layout}:${here}`, bundle], { stdio: 'ignore' })
    expect(filesOf(join(bundle, 'rootfs')).sort()).toEqual(filesOf(unpacked(here)).sort())
    expect(readJson(join(bundle, 'config.json')).process).toMatchObject({
      args: ['/app/bin/placard', 'serve'],
      cwd: '/data',
    })
  })

  it('is named in the files for Compose, by its digest', () => {
    const compose = execFileSync('tar', ['-xzOf', made('-compose.tgz'), 'compose.yaml'], { encoding: 'utf8' })
    const images = [...compose.matchAll(/image: (.*placard.*)/g)].map(([, image]) => image)
    expect(images).toEqual([`\${PLACARD_IMAGE:-ghcr.io/placard/placard:${version}@${index.digest}}`])
    const names = execFileSync('tar', ['-tzf', made('-compose.tgz')], { encoding: 'utf8' })
    expect(names).toBe('.env.example\nCaddyfile\ncompose.yaml\n')
  })
})

describe.each(Object.keys(PROCESSORS) as Architecture[])('the image for %s', architecture => {
  it('has what it starts for its processor, readable for all, and nothing to build with', () => {
    const folder = unpacked(architecture)
    const { Entrypoint, Healthcheck } = json(imageFor(architecture).config).config
    for (const program of [Entrypoint[0], Healthcheck.Test[1], '/app/bin/node']) {
      expect([program, statSync(join(folder, program)).mode & 0o005]).toEqual([program, 0o005])
    }
    const files = filesOf(folder)
    expect(files.filter(path => /\.([cm]?ts|tsx|map|md|gyp|[ch]pp?)$|\/(npm|typescript|esbuild)\//.test(path))).toEqual(
      [],
    )
    expect(files.filter(path => (statSync(join(folder, path)).mode & 0o004) === 0)).toEqual([])
    expect(files.filter(path => /\/(ba)?sh$/.test(path))).toEqual([])
    const native = files.filter(
      path => readFileSync(join(folder, path)).subarray(0, 4).toString('latin1') === '\x7fELF',
    )
    for (const path of native) {
      expect([path, readFileSync(join(folder, path)).readUInt16LE(18)]).toEqual([path, PROCESSORS[architecture]])
    }
    // Ours are Node.js, the SQLite driver and the two parts of the picture library.
    expect(native.filter(path => path.startsWith('app/'))).toHaveLength(4)
    expect(native.filter(path => /usr\/lib.*\/(ld-linux-|libc\.so|libstdc\+\+\.so)/.test(path))).toHaveLength(3)
  })
})

describe('the image', () => {
  const configOf = () => json(imageFor(here).config).config

  it('names settings that exist, and lists every package in it', () => {
    const config = configOf()
    const { PATH, CACHE_DIRECTORY, ...settings } = Object.fromEntries(config.Env.map((each: string) => each.split('=')))
    expect([PATH, CACHE_DIRECTORY]).toEqual(['/app/bin', '/data/cache'])
    expect(Object.keys(settings).filter(name => !(name in SETTINGS))).toEqual([])
    expect(configFrom(settings)).toMatchObject({ host: '0.0.0.0', port: 8080, dataDir: '/data' })
    const { bomFormat, components } = readJson(join(unpacked(here), 'app/sbom.json'))
    expect(bomFormat).toBe('CycloneDX')
    const listed = components.map((each: Record<string, string>) => each['bom-ref']?.replace(/@[^@]*$/, ''))
    const manifests = globSync('app/lib/**/node_modules/{*,@*/*}/package.json', { cwd: unpacked(here) })
    const present = manifests.map(path => readJson(join(unpacked(here), path)).name).filter(name => name !== 'placard')
    expect(present).toEqual(expect.arrayContaining(['better-sqlite3', 'sharp']))
    expect(present.filter(name => !listed.includes(name))).toEqual([])
    for (const name of ['node', '@fontsource-variable/noto-sans', 'fastify', '@opentelemetry/sdk-trace-node'])
      expect(listed).toContain(name)
    expect(listed.filter((name: string) => ['typescript', 'vitest', 'esbuild'].includes(name))).toEqual([])
  })

  it(`publishes, draws and stops ${isIsolated ? 'with nothing else there, as nobody, on a read-only disk' : 'NOT ISOLATED'}`, async () => {
    const config = configOf()
    const sites = await startSites()
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}`
    const collector = sites.connectTo.replace(':80:', '')
    const { PATH: _, CACHE_DIRECTORY, ...env } = Object.fromEntries(config.Env.map((each: string) => each.split('=')))
    const service = runIsolated({
      root: unpacked(here),
      isIsolated,
      command: config.Entrypoint,
      env: {
        ...env,
        ...(isIsolated && { CACHE_DIRECTORY }),
        PORT: port,
        WORKERS: '2',
        FETCH_CONNECT_TO: sites.connectTo,
        // It loads what only traces need. Any website takes them.
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector}`,
      },
    })
    try {
      await expect.poll(() => service.output()).toMatch(/is ready|cannot start|rror/)
      const { status, body } = await publish({ url }, newCredentials(), publishBody('http://sunrise-bakery.com/'))
      expect([status, body.status]).toEqual([201, 'published'])
      const client = await fetch(`${url}/client/placard-agent.tgz`)
      expect([client.status, client.headers.get('content-type')]).toEqual([200, 'application/gzip'])
      const picture = await fetch(`${url}/picture/sunrise-bakery-com/share.png`)
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect((await picture.bytes()).length).toBeGreaterThan(10_000)

      expect(service.execute('/app/bin/placard', 'list')).toEqual({
        status: 0,
        output: expect.stringContaining('sunrise-bakery-com'),
      })
      const [, ...healthcheck] = config.Healthcheck.Test
      const asked = `process.env.PORT = 1; require('${isIsolated ? '' : unpacked(here)}/app/bin/healthy')`
      expect(service.execute('/app/bin/node', '-e', asked).status).toBe(1)
      expect(service.execute(...healthcheck).status).toBe(0)
      if (isIsolated) {
        expect(JSON.parse(service.execute('/app/bin/node', '-p', LOOK).output)).toEqual({
          user: 65_532,
          etc: ['group', 'nsswitch.conf', 'passwd'],
          top: ['app', 'data', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sys', 'tmp', 'usr'],
          written: ['EROFS', 'EROFS', 'yes'],
          processes: ['node'],
        })
        expect(service.execute('/app/bin/placard').output).toContain('Usage: placard COMMAND')
      }
      expect(await service.end('SIGTERM')).toBe(0)
      expect(sites.visits(collector)).toBeGreaterThan(0)
      expect(service.output()).not.toMatch(/"level":(40|50)(?!.*(FETCH_CONNECT_TO|SUPPORT_URL))/)
    } finally {
      service.remove()
      await sites.close()
    }
  })
})
