import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The fields of CycloneDX that are read or written here. */
interface Sbom {
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
interface Component {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl: string
  licenses: { license: { id: string } }[]
}

/**
 * Returns the parts of the package in CycloneDX: the server's dependencies, bundled or not, and the fonts of pictures,
 * which only the build needs as packages.
 */
export function billOfMaterials(root: string): Sbom {
  // Not `--omit dev`, which leaves out what is needed both here and by a tool.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--workspace', 'server']
  const printed = execFileSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 100_000_000,
  })
  const sbom = JSON.parse(String(printed)) as Sbom
  const { name, version, dependencies, devDependencies } = readManifest(join(root, 'server'))
  const fonts = Object.entries(devDependencies).filter(([font]) => font.startsWith('@fontsource'))
  const kept = new Set([`${name}@${version}`])
  const keep = (ref: string) => {
    if (kept.has(ref)) return
    kept.add(ref)
    for (const next of sbom.dependencies.find(each => each.ref === ref)?.dependsOn ?? []) keep(next)
  }
  for (const [needed, at] of [...Object.entries(dependencies), ...fonts]) keep(`${needed}@${at}`)
  return {
    ...sbom,
    components: sbom.components.filter(each => kept.has(each['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(each => kept.has(each)) })),
  }
}

interface Manifest {
  name: string
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
