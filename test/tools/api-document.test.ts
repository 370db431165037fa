// @module-tag programs
// @module-tag slow
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openapiDocument } from '@placard/contract'
import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { afterAll, beforeAll, expect, it } from 'vitest'

const document = openapiDocument({
  base: 'https://placard.example.org',
  support: 'https://placard.example.org/support',
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-api-document-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Redocly's exit status and report. */
async function lint(document: unknown): Promise<{ status: number; report: string }> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document, null, 2))
  const redocly = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', import.meta.url))
  const args = [redocly, 'lint', '--extends', 'recommended-strict', file]
  const env = {
    HOME: folder,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  return promisify(execFile)(process.execPath, args, { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ status: 0, report: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code as number, report: stdout + stderr }),
  )
}

/** What Spectral's rules for OpenAPI find, as `rule at path`. */
async function findings(document: unknown): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets.oas] } as Parameters<typeof linter.setRuleset>[0])
  const parsed = new spectral.Document(JSON.stringify(document), parsers.Json, 'openapi.json')
  return (await linter.run(parsed)).map(({ code, path }) => `${code} at ${path.join('.')}`)
}

/** The document with a fault that both must find. */
function faulty() {
  const { info, ...rest } = structuredClone(document)
  return { ...rest, info: { ...info, title: undefined } }
}

it('Redocly’s recommended-strict finds nothing in the API document', async () => {
  const { status, report } = await lint(document)
  expect([status, report]).toEqual([0, expect.stringContaining('is valid')])
  expect((await lint(faulty())).status).toBe(1)
})

it('Spectral’s rules for OpenAPI find nothing in the API document', async () => {
  expect(await findings(document)).toEqual([])
  expect(await findings(faulty())).not.toEqual([])
})
