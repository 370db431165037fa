/**
 * Packs the client into the files that the service offers at `/client/`, below `server/bundled/client`. An agent can
 * then run exactly the version that fits the service, and needs no name on a registry that a stranger could claim.
 *
 * The same sources give the same bytes on every machine: times and owners are fixed, and a library in JavaScript
 * compresses, because zlib's output differs between platforms.
 *
 *   node client/pack.ts [FOLDER]
 */
import { hash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync, strToU8, zipSync } from 'fflate'
import { pack } from 'tar-stream'

const CLIENT = import.meta.dirname
const CONTRACT = join(CLIENT, '../contract/dist')
const TARGET = process.argv[2] ?? join(CLIENT, '../server/bundled/client')
/** What npm itself writes into packages: the time has no meaning. */
const MTIME = new Date('1985-10-26T08:15:00Z')

const manifest = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))

/** Returns the files of the npm package, with the contract in it instead of as a dependency. Leaves out source maps. */
function packageFiles(): Map<string, string> {
  const { dependencies: _, devDependencies: __, publishConfig: ___, files: ____, ...kept } = manifest
  const files = new Map([['package.json', `${JSON.stringify(kept, null, 2)}\n`]])
  for (const path of ['LICENSE', 'README.md', 'bin/placard-agent.js']) files.set(path, read(join(CLIENT, path)))
  const built = globSync('dist/**/*.{js,d.ts,txt}', { cwd: CLIENT })
  for (const path of built.filter(each => !/^dist\/(command|mcp)\/.*\.d\.ts$/.test(each))) {
    const text = read(join(CLIENT, path))
    files.set(
      path,
      Object.entries(ENTRIES).reduce((packed, [name, module]) => {
        const relative = posix.relative(dirname(path), `dist/contract/${module}`)
        return packed.replaceAll(`@placard/contract/${name}`, relative.startsWith('.') ? relative : `./${relative}`)
      }, text),
    )
  }
  for (const name of Object.values(ENTRIES).flatMap(entry => [...contractModules(entry)])) {
    for (const each of [name, name.replace(/\.js$/, '.d.ts')])
      files.set(`dist/contract/${each}`, read(join(CONTRACT, each)))
  }
  return files
}

/** What the client imports of the contract. */
const ENTRIES = { plain: 'plain.js', log: 'log/index.js' }

/** Returns a module of the contract and all that it imports, which is no library. */
function contractModules(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, from = ''] of read(join(CONTRACT, name)).matchAll(/from '(.*?)'/g)) {
    if (from.startsWith('node:')) continue
    if (!/^\.\.?\//.test(from))
      throw new Error(`contract/dist/${name} needs ${from}, which the client must not install`)
    contractModules(posix.join(dirname(name), from), found)
  }
  return found
}

const read = (path: string) => readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '')

async function tarball(files: Map<string, string>): Promise<Uint8Array> {
  const tar = pack()
  for (const [path, text] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const mode = path.startsWith('bin/') ? 0o755 : 0o644
    tar.entry({ name: `package/${path}`, mode, mtime: MTIME }, text)
  }
  tar.finalize()
  return gzipSync(await buffer(tar), { level: 9, mtime: 0 })
}

/** Returns the Python client with its version, which its source does not have. */
function pythonModule(): string {
  const source = read(join(CLIENT, '../client-python/placard_agent.py'))
  const stamped = source.replace('VERSION = "development"', `VERSION = "${manifest.version}"`)
  if (stamped === source) throw new Error('client-python/placard_agent.py has no place for its version')
  return stamped
}

/** As PEP 440 spells versions: `0.3.0.dev0` for `0.3.0-dev`. */
const pythonVersion: string = manifest.version.replace('-dev', '.dev0')

/** Returns a wheel, which `uvx --from` and `pip install` take: the module, a command, and a list of both with hashes. */
function wheel(module: string): Uint8Array {
  const about = `placard_agent-${pythonVersion}.dist-info`
  const files = new Map([
    ['placard_agent.py', module],
    [
      `${about}/METADATA`,
      `Metadata-Version: 2.1\nName: placard-agent\nVersion: ${pythonVersion}\nSummary: ${manifest.description}\nLicense: MIT\nRequires-Python: >=3.9\n`,
    ],
    [`${about}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: placard\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
    [`${about}/entry_points.txt`, '[console_scripts]\nplacard-agent = placard_agent:main\n'],
    [`${about}/LICENSE`, read(join(CLIENT, 'LICENSE'))],
  ])
  const record = [...files].map(
    ([name, text]) => `${name},sha256=${hash('sha256', text, 'base64url')},${Buffer.byteLength(text)}\n`,
  )
  files.set(`${about}/RECORD`, `${record.join('')}${about}/RECORD,,\n`)
  // Archives have local times, so that this is the same text in every time zone.
  const mtime = new Date(1985, 9, 26, 8, 15)
  return zipSync(Object.fromEntries([...files].map(([name, text]) => [name, strToU8(text)])), {
    level: 9,
    mtime,
    os: 3,
    attrs: (0o100644 << 16) >>> 0,
  })
}

const module = pythonModule()
const packed = new Map([
  ['placard-agent.tgz', await tarball(packageFiles())],
  ['placard_agent.py', strToU8(module)],
  [`placard_agent-${pythonVersion}-py3-none-any.whl`, wheel(module)],
])

mkdirSync(TARGET, { recursive: true })
for (const [name, bytes] of packed) writeFileSync(join(TARGET, name), bytes)
const listed = [...packed].map(([name, bytes]) => ({
  name,
  sizeBytes: bytes.length,
  integrity: `sha512-${hash('sha512', bytes, 'base64')}`,
  sha256: hash('sha256', bytes, 'hex'),
}))
writeFileSync(join(TARGET, 'files.json'), `${JSON.stringify({ version: manifest.version, files: listed }, null, 2)}\n`)
