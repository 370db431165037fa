import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  version: string
  workspaces?: string[]
  dependencies?: Record<string, string>
  /** In a lock file: its manifests by folder. */
  packages?: Record<string, Partial<Manifest>>
}

/** A copy of the client's version, since a bundle of the library cannot read its manifest. */
const COPY = 'client/src/version.ts'

/** The current version, and every file that names it, relative to the project's folder. */
export function manifestsOf(root: string): { version: string; files: string[] } {
  const { version, workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const files = [
    'package.json',
    ...workspaces.map(folder => `${folder}/package.json`),
    'package-lock.json',
    'server.json',
    COPY,
  ]
  return { version, files }
}

/** A manifest or another of these files with a new version of the project, including where its parts depend on each other. */
export function withVersion(file: string, text: string, version: string): string {
  if (file === COPY) return text.replace(/'.*'/, `'${version}'`)
  const manifest = JSON.parse(text) as Manifest
  manifest.version = version
  setDependencies(manifest, version)
  for (const [folder, each] of Object.entries(manifest.packages ?? {})) {
    if (folder.includes('node_modules/')) continue
    each.version = version
    setDependencies(each, version)
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function setDependencies({ dependencies = {} }: Partial<Manifest>, version: string): void {
  for (const name of Object.keys(dependencies)) if (name.startsWith('@placard/')) dependencies[name] = version
}
