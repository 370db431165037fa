/**
 * Packs MCP's library into `dist/mcp/sdk.js`, over what the compiler wrote there, with the licenses of what is packed.
 * The package then needs no dependency for `placard-agent mcp`: as dependencies, the library would be 14 MB for a package
 * of 0.6 MB. The price is that a fix in the library reaches users only with our next release.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const FOLDER = `${import.meta.dirname}/dist/mcp`

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [`${import.meta.dirname}/src/mcp/sdk.ts`],
  outfile: `${FOLDER}/sdk.js`,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // They are in the file of licenses.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [
    {
      // Ajv is half as large as all else. Our server names its own validator.
      name: 'no default validator',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({
          path,
          namespace: 'shims',
        }))
        onLoad({ filter: /./, namespace: 'shims' }, () => ({
          contents: `
            export class DefaultJsonSchemaValidator {}
            export { default as process } from 'node:process'`,
        }))
      },
    },
  ],
})
rmSync(`${FOLDER}/sdk.js.map`, { force: true })

const folders = Object.keys(metafile.inputs).flatMap(
  path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
)
const licenses = Map.groupBy(new Set(folders), folder => readFileSync(`${ROOT}/${folder}/LICENSE`, 'utf8'))
const text = [...licenses].map(([license, ofFolders]) => {
  const packages = ofFolders.map(folder => JSON.parse(readFileSync(`${ROOT}/${folder}/package.json`, 'utf8')))
  return `${packages.map(({ name, version }) => `${name} ${version}`).join(', ')}\n\n${license}`
})
writeFileSync(`${FOLDER}/sdk.licenses.txt`, text.join(`\n${'-'.repeat(80)}\n\n`))
