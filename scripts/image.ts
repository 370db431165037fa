/**
 * Lays out in a new folder what the container image has besides its base: the packed service, what it needs of
 * `node_modules`, Node, two commands, a list of all packages (`sbom.json`, CycloneDX) and one of sizes (`sizes.json`).
 *
 *   npm run image -- FOLDER
 *
 * The Dockerfile calls it with the path that the folder has in the image, since what Node and fontconfig remember at the
 * end is good for that path only. It needs a build, and nothing from the network.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { nodeFileTrace } from '@vercel/nft'
import { EXTERNAL } from '../server/external.ts'
import { billOfMaterials } from './sbom.ts'

const root = join(import.meta.dirname, '..')
/** Who runs the service in the image: `nonroot` of the distroless images. */
const USER = 65_532
const SQLITE = `node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`

const [given] = process.argv.slice(2)
if (given === undefined || existsSync(given)) {
  console.error('Usage: npm run image -- FOLDER, which must not exist yet')
  process.exit(2)
}
const folder = resolve(given)

const service = [
  'LICENSE',
  ...filesIn('server/bundled', path => !path.startsWith('server/bundled/compiled/')),
  ...filesIn('server/assets'),
  'server/package.json',
  'server/fonts/fonts.conf',
  'server/fonts/built/signs.txt',
  'server/fonts/built/letters.json',
  ...filesIn('server/fonts/built/ttf'),
  ...filesIn('server/fonts/built/web'),
]
const bill = billOfMaterials(root)
const modules = await neededModules()
for (const path of [...service, ...modules]) copy(path, path)
// A link in `node_modules`, since it is a workspace.
for (const path of ['package.json', 'assets/style.css']) {
  copy(`sandbox/${path}`, `node_modules/@placard/sandbox/${path}`)
}
copy('node_modules/node/bin/node', 'bin/node')
for (const path of filesIn('deploy/container/bin')) {
  // There is no shell that could look for Node.
  const program = readFileSync(join(root, path), 'utf8').replace('/app/', `${folder}/`)
  writeFileSync(join(folder, path.replace('deploy/container/', '')), program, { mode: 0o755 })
}
writeFileSync(join(folder, 'sbom.json'), `${JSON.stringify(bill, null, 1)}\n`)
remember()
tellSizes()

/** What the packages that are not packed need at run time, on this platform. */
async function neededModules(): Promise<string[]> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
  const external = Object.keys(dependencies).filter(
    name => EXTERNAL.some(each => matchesGlob(name, each)) && !name.startsWith('@fontsource'),
  )
  const imports = join(root, 'server/imports-what-is-not-packed.mjs')
  const { fileList } = await nodeFileTrace([imports], {
    base: root,
    processCwd: root,
    conditions: ['node'],
    // There is no such file: this is what would stand in it.
    readFile: async path =>
      path === imports
        ? external.map(name => `import '${name}'`).join('\n')
        : existsSync(path)
          ? readFileSync(path)
          : null,
    ignore: path => path.includes('better-sqlite3/prebuilds/'),
  })
  const listed = new Set(bill.components.map(each => each['bom-ref']))
  const isListed = (path: string) => {
    const [manifest] = /^(.*node_modules\/(@[^/]+\/)?[^/]+)\//.exec(path)?.slice(1) ?? []
    if (manifest === undefined) return false
    const { name, version } = JSON.parse(readFileSync(join(root, manifest, 'package.json'), 'utf8'))
    return listed.has(`${name}@${version}`)
  }
  // Others are there by chance: a package looks whether some tool of ours is installed, too.
  return [...[...fileList].filter(path => isListed(path) && isFile(path)), SQLITE]
}

function copy(from: string, to: string): void {
  const target = join(folder, to)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(root, from), target)
  // Whoever built this may keep files to themselves; in the image, they belong to root, who does not run the service.
  chmodSync(target, statSync(target).mode | 0o444)
}

/** Lets Node compile and fontconfig list everything once, for every start in the image. */
function remember(): void {
  const fonts = join(folder, 'server/fonts/built')
  // Fontconfig compares this time; layers of an image keep whole seconds.
  utimesSync(join(fonts, 'ttf'), 0, 0)
  const node = join(folder, 'bin/node')
  const draw = `await (await import('${join(folder, 'node_modules/sharp/dist/index.mjs')}')).default({ text: { text: 'Placard' } }).toBuffer()`
  execFileSync(node, ['--input-type=module', '-e', draw], {
    env: { FONTCONFIG_FILE: join(folder, 'server/fonts/fonts.conf'), XDG_CACHE_HOME: fonts },
  })
  // Node keeps what it compiled apart for each user.
  if (process.getuid?.() !== 0) return
  const compiled = join(folder, 'server/bundled/compiled')
  mkdirSync(compiled)
  chownSync(compiled, USER, USER)
  // And for other options, so that it is started as in the image.
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const script of [scripts.start, scripts.placard] as string[]) {
    const args = script.split(' ').slice(1)
    execFileSync(node, [...args, '--help'], { cwd: folder, uid: USER, gid: USER, env: {}, stdio: 'ignore' })
  }
  for (const path of globSync(`${compiled}/**`)) {
    chownSync(path, 0, 0)
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
  }
}

function tellSizes(): void {
  const files = globSync('**', { cwd: folder }).filter(path => statSync(join(folder, path)).isFile())
  const sizes: Record<string, { files: number; bytes: number }> = {}
  for (const path of files) {
    const part = /^node_modules\/(@[^/]+\/)?[^/]+|^server\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path
    for (const name of ['all', part]) {
      sizes[name] ??= { files: 0, bytes: 0 }
      sizes[name].files++
      sizes[name].bytes += statSync(join(folder, path)).size
    }
  }
  const sorted = Object.entries(sizes).sort(([, one], [, other]) => other.bytes - one.bytes)
  writeFileSync(join(folder, 'sizes.json'), `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
  for (const [part, { files: count, bytes }] of sorted.slice(0, 12)) {
    console.log(`${(bytes / 1e6).toFixed(1).padStart(8)} MB ${String(count).padStart(6)} files  ${part}`)
  }
}

function filesIn(path: string, isWanted = (_path: string) => true): string[] {
  const files = globSync(`${path}/**`, { cwd: root }).filter(each => isWanted(each) && isFile(each))
  if (files.length === 0) throw new Error(`${relative('.', join(root, path))} is missing: npm run build`)
  return files
}

function isFile(path: string): boolean {
  return statSync(join(root, path)).isFile()
}
