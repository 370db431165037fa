import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The part of CycloneDX that is read or written here. */
interface Bill {
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
 * What the package consists of, in CycloneDX: what the server needs, packed or not, and what only the build needs and the
 * package keeps: the fonts of pictures, unpacked.
 */
export function billOfMaterials(root: string): Bill {
  // Not `--omit dev`, which leaves out what is needed both here and by a tool.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--workspace', 'server']
  const printed = execFileSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 100_000_000,
  })
  const bill = JSON.parse(String(printed)) as Bill
  const { name, version, dependencies, devDependencies } = readManifest(join(root, 'server'))
  const fonts = Object.entries(devDependencies).filter(([font]) => font.startsWith('@fontsource'))
  const kept = new Set([`${name}@${version}`])
  const keep = (ref: string) => {
    if (kept.has(ref)) return
    kept.add(ref)
    for (const next of bill.dependencies.find(each => each.ref === ref)?.dependsOn ?? []) keep(next)
  }
  for (const [needed, at] of [...Object.entries(dependencies), ...fonts]) keep(`${needed}@${at}`)
  return {
    ...bill,
    components: bill.components.filter(each => kept.has(each['bom-ref'])),
    dependencies: bill.dependencies
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
