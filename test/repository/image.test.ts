// @module-tag programs slow
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../server/test/support/free-port.ts'
import { newCredentials, publish, publishBody } from '../../server/test/support/service.ts'
import { startSites } from '../../server/test/support/sites.ts'
import { type Dockerfile, readDockerfile } from './dockerfile.ts'
import { mayIsolate, runIsolated } from './isolated.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const outside = mkdtempSync(join(tmpdir(), 'placard-image-'))
// Somebody else than who made it starts what is in it.
chmodSync(outside, 0o755)
const folder = join(outside, 'app')
const isIsolated = mayIsolate()
let dockerfile: Dockerfile
/** Where something of the image lies in this folder. */
const placed = (path: string) => path.replace(/^\/app\//, `${folder}/`)
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** What a program inside sees, and where it can write. */
const LOOK = `JSON.stringify({
  user: process.getuid(),
  etc: fs.readdirSync('/etc').sort(),
  top: fs.readdirSync('/'),
  written: ['/file', '${folder}/file', '/data/file'].map(path => {
    try { fs.writeFileSync(path, ''); return 'yes' } catch (error) { return error.code }
  }),
  processes: [...new Set(fs.readdirSync('/proc').filter(Number).map(pid => {
    try { return path.basename(fs.readlinkSync('/proc/' + pid + '/exe')) } catch (error) { return error.code }
  }))],
})`

beforeAll(() => {
  dockerfile = readDockerfile()
  execFileSync(process.execPath, ['scripts/image.ts', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

describe('the image', () => {
  it('has what the Dockerfile and the unit of systemd start, and nothing to build with', () => {
    const unit = readFileSync(join(root, 'deploy/systemd/placard.service'), 'utf8')
    const named = [
      ...[...dockerfile.entrypoint, ...dockerfile.healthcheck].filter(word => word.startsWith('/')),
      ...[...unit.matchAll(/\/opt\/placard\/(\S+)/g)].map(([, path]) => `/app/${path}`),
    ]
    expect(named).toContain('/app/bin/healthy')
    expect(named.filter(path => !statSync(placed(path)).isFile())).toEqual([])
    const files = globSync('**', { cwd: folder })
    expect(files.filter(path => /\.([cm]?ts|tsx|map|md|gyp|[ch]pp?)$|\/(npm|typescript|esbuild)\//.test(path))).toEqual(
      [],
    )
    const native = files.filter(path => /\.(node|so(\.[\d.]+)?)$/.test(path))
    expect(native.filter(path => !path.includes(`${process.platform}-${process.arch}`))).toEqual([])
    expect(native).toHaveLength(3)
    // The files belong to root there, and somebody else reads them.
    expect(files.filter(path => (statSync(join(folder, path)).mode & 0o004) === 0)).toEqual([])
  })

  it('is built from a Dockerfile that its linter takes', () => {
    const faults = validate(readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8'))
    expect(faults.map(({ range, message }) => [range.start.line + 1, message])).toEqual([])
  })

  it('lists every package in it, the fonts and Node', () => {
    const { bomFormat, components } = readJson(join(folder, 'sbom.json'))
    expect(bomFormat).toBe('CycloneDX')
    const listed = new Set(components.map((each: Record<string, string>) => each['bom-ref']))
    const manifests = globSync('node_modules/**/package.json', { cwd: folder }).map(path =>
      readJson(join(folder, path)),
    )
    const present = manifests.filter(({ name, version }) => name && version).map(each => `${each.name}@${each.version}`)
    expect(present.length).toBeGreaterThan(20)
    expect(present.filter(each => !listed.has(each))).toEqual([])
    const { devDependencies } = readJson(join(root, 'server/package.json'))
    const { devDependencies: shared } = readJson(join(root, 'package.json'))
    const noto = '@fontsource-variable/noto-sans'
    for (const each of [`${noto}@${devDependencies[noto]}`, `node@${shared.node}`]) expect(listed).toContain(each)
    // Of the tools, none.
    expect([...listed].filter(each => /^(typescript|vitest|esbuild)@/.test(String(each)))).toEqual([])
    expect(readJson(join(folder, 'sizes.json')).all.bytes).toBeLessThan(300e6)
  })

  it(`publishes, draws and stops ${isIsolated ? 'with nothing else there, as nobody, on a read-only disk' : 'NOT ISOLATED'}`, async () => {
    const sites = await startSites()
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}`
    const collector = sites.connectTo.replace(':80:', '')
    const { PATH: _path, ...env } = dockerfile.env
    const service = runIsolated({
      folder,
      isIsolated,
      command: dockerfile.entrypoint.map(placed),
      env: {
        ...env,
        PORT: port,
        WORKERS: '2',
        FETCH_CONNECT_TO: sites.connectTo,
        // It loads what only traces need. Any website takes them.
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector}`,
      },
    })
    try {
      await expect.poll(() => service.output()).toMatch(/is ready|cannot start/)
      const { status, body } = await publish({ url }, newCredentials(), publishBody('http://sunrise-bakery.com/'))
      expect([status, body.status]).toEqual([201, 'published'])
      const client = await fetch(`${url}/client/placard-agent.tgz`)
      expect([client.status, client.headers.get('content-type')]).toEqual([200, 'application/gzip'])
      const picture = await fetch(`${url}/picture/sunrise-bakery-com/share.png`)
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect((await picture.bytes()).length).toBeGreaterThan(10_000)

      expect(service.execute(placed('/app/bin/placard'), 'list')).toEqual({
        status: 0,
        output: expect.stringContaining('sunrise-bakery-com'),
      })
      const asked = `process.env.PORT = 1; require('${placed('/app/bin/healthy')}')`
      expect(service.execute(placed('/app/bin/node'), '-e', asked).status).toBe(1)
      expect(service.execute(...dockerfile.healthcheck.map(placed)).status).toBe(0)
      if (isIsolated) {
        const { top, ...seen } = JSON.parse(service.execute(placed('/app/bin/node'), '-p', LOOK).output)
        expect(seen).toEqual({
          user: 65_532,
          etc: ['passwd', 'ssl'],
          written: ['EROFS', 'EROFS', 'yes'],
          processes: ['node'],
        })
        const expected = ['data', 'dev', 'etc', 'lib', 'lib64', 'proc', 'usr', folder.split('/')[1]]
        expect(top.filter((name: string) => !expected.includes(name))).toEqual([])
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
