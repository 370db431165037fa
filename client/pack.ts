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
import { basename, dirname, join, posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'fflate'
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
    const plain = posix.relative(dirname(path), 'dist/contract/plain.js')
    const from = plain.startsWith('.') ? plain : `./${plain}`
    files.set(path, read(join(CLIENT, path)).replaceAll('@placard/contract/plain', from))
  }
  for (const name of contractModules('plain.js')) {
    for (const each of [name, name.replace(/\.js$/, '.d.ts')])
      files.set(`dist/contract/${each}`, read(join(CONTRACT, each)))
  }
  return files
}

/** Returns a module of the contract and all that it imports, which is no library. */
function contractModules(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, from = ''] of read(join(CONTRACT, name)).matchAll(/from '(.*?)'/g)) {
    if (!from.startsWith('./'))
      throw new Error(`contract/dist/${name} needs ${from}, which the client must not install`)
    contractModules(basename(from), found)
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

const packed = new Map([['placard-agent.tgz', await tarball(packageFiles())]])

mkdirSync(TARGET, { recursive: true })
for (const [name, bytes] of packed) writeFileSync(join(TARGET, name), bytes)
const listed = [...packed].map(([name, bytes]) => ({
  name,
  sizeBytes: bytes.length,
  integrity: `sha512-${hash('sha512', bytes, 'base64')}`,
  sha256: hash('sha256', bytes, 'hex'),
}))
writeFileSync(join(TARGET, 'files.json'), `${JSON.stringify({ version: manifest.version, files: listed }, null, 2)}\n`)
