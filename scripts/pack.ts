/**
 * Packs the service and the operator's commands into one npm package, `placard-VERSION.tgz` in a folder. It needs a
 * build, and nothing from the network.
 *
 * npm run pack -- FOLDER
 *
 * What the build bundles is in it. What the build does not bundle, because it has native parts or is large, are
 * ordinary dependencies with the exact versions that the tests ran with.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { EXTERNAL } from '../server/external.ts'
import { billOfMaterials } from './sbom.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readJson = (path: string) => JSON.parse(read(path))

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Usage: npm run pack -- FOLDER')
  process.exit(2)
}
const laidOut = mkdtempSync(join(tmpdir(), 'placard-pack-'))
try {
  layOut()
  mkdirSync(folder, { recursive: true })
  // npm writes the same bytes for the same files.
  const args = ['pack', laidOut, '--ignore-scripts', '--silent', '--pack-destination', folder]
  const name = execFileSync('npm', args, { encoding: 'utf8' }).trim()
  console.log(`${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB  ${join(folder, name)}`)
} finally {
  rmSync(laidOut, { recursive: true })
}

function layOut(): void {
  for (const path of filesIn('server', ['assets/**', 'bundled/**', 'fonts/fonts.conf', 'fonts/built/{ttf,web}/**']))
    copy(`server/${path}`, path)
  for (const path of ['fonts/built/signs.txt', 'fonts/built/letters.json']) copy(`server/${path}`, path)
  // The sandbox is bundled, except for its style sheet, which it looks up by the name of its package.
  copy('sandbox/assets/style.css', 'node_modules/@placard/sandbox/assets/style.css')
  const { name, version, type, license, exports } = readJson('sandbox/package.json')
  write('node_modules/@placard/sandbox/package.json', { name, version, type, license, exports })
  copy('LICENSE', 'LICENSE')
  copy('deploy/package/README.md', 'README.md')
  for (const name of ['placard.service', 'placard.sh']) copy(`deploy/systemd/${name}`, name)
  write('package.json', manifest())
  const sbom = billOfMaterials(root)
  write('sbom.json', sbom)
  writeFileSync(join(laidOut, 'licenses.txt'), licensesOf(sbom.components.map(each => each.name)))
}

/** The manifest of the package. */
function manifest() {
  const { repository, license, version, description } = readJson('package.json')
  const { dependencies, engines } = readJson('server/package.json')
  const sandbox = '@placard/sandbox'
  const needed = Object.entries<string>(dependencies).filter(
    ([name]) => name === sandbox || (EXTERNAL.some(each => matchesGlob(name, each)) && !name.startsWith('@fontsource')),
  )
  return {
    name: 'placard',
    version,
    description,
    license,
    repository,
    type: 'module',
    bin: { placard: 'bundled/placard.js' },
    engines,
    dependencies: Object.fromEntries(needed),
    bundleDependencies: [sandbox],
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Returns the license of each package that is bundled, as their licenses demand. */
function licensesOf(names: string[]): string {
  const texts = names.flatMap(name =>
    globSync(`node_modules/${name}/{LICEN[CS]E,licen[cs]e,OFL}*`, { cwd: root })
      .filter(path => statSync(join(root, path)).isFile())
      .map(path => ({ name, text: read(path) })),
  )
  const same = Map.groupBy(texts, each => each.text)
  return [...same]
    .map(([text, of]) => `${of.map(each => each.name).join(', ')}\n\n${text}`)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function filesIn(place: string, patterns: string[]): string[] {
  const cwd = join(root, place)
  const files = globSync(patterns, { cwd, exclude: ['bundled/compiled/**'] })
  if (files.length < 50) throw new Error(`${place} is not built: npm run build`)
  return files.filter(path => statSync(join(cwd, path)).isFile())
}

function copy(from: string, to: string): void {
  const target = join(laidOut, to)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(root, from), target)
}

function write(path: string, content: object): void {
  writeFileSync(join(laidOut, path), `${JSON.stringify(content, null, 2)}\n`)
}
