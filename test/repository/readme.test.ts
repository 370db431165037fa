// @module-tag programs
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freePort } from '../../server/test/support/free-port.ts'
import { run } from '../../server/test/support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'placard-readme-'))
let demo: ReturnType<typeof run>
let port: number

beforeAll(async () => {
  port = await freePort()
  demo = run('examples/demo.ts', [], { PORT: String(port), TMPDIR: folder, NO_COLOR: '1' })
  await vi.waitFor(() => expect(demo.output()).toContain('Ctrl-C ends the demo'), { timeout: 110_000 })
})
afterAll(async () => {
  demo.child.kill('SIGTERM')
  await demo.ended
  rmSync(folder, { recursive: true, force: true })
})

/** The README block with this text, adapted to the demo running here. */
function example(file: string, language: string, text: string): string {
  const blocks = readFileSync(join(root, file), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)
  const found = [...blocks].find(([, name, code]) => name === language && code?.includes(text))?.[2]
  expect(found).toContain('http://127.0.0.1:8080')
  return found?.replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${port}`) ?? ''
}

/** Runs an example as somebody who copies it would. All share a journal. */
async function execution(program: string, args: string[]): Promise<string> {
  const PATH = [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { PATH, HOME: folder, PLACARD_JOURNAL: join(folder, 'journal.jsonl') }
  return (await execute(program, args, { cwd: root, env })).stdout
}

it('the command in the README publishes, on the demo as it is', async () => {
  const code = example('README.md', 'sh', 'placard-agent publish')
  expect(await execution('sh', ['-ec', code])).toMatch(
    new RegExp(`^Published\\.\n\nPublic page +http://127.0.0.1:${port}/product/copper-kettle-teahouse-com\n`),
  )
})

it('the commands in the README of the client work, on the demo as it is', async () => {
  const said = await execution('sh', ['-ec', example('client/README.md', 'sh', 'placard-agent publish')])
  expect(said).toContain('Categories (28)')
  expect(said).toContain('Published earlier.')
  expect(said).toContain('25.00 USD would bring http://copper-kettle-teahouse.com/ to 25.00 USD')
})

it('the program in the README of the client works, on the demo as it is', async () => {
  const code = example('client/README.md', 'ts', 'client.publish')
  const shown = 'function showToCustomerOnly(link?: string) { console.log(link) }'
  const said = await execution(process.execPath, ['--input-type=module-typescript', '-e', `${code}\n${shown}`])
  expect(said).toMatch(/\/product\/copper-kettle-teahouse-com\nhttp\S+\/manage\/\S+#owner=\S+\n$/)
})

it('the demo shows a command that works, too', async () => {
  const [command = ''] = /npx --no-install placard-agent publish .*\n.*/.exec(demo.output()) ?? []
  expect(await execution('sh', ['-ec', command])).toContain('Published earlier.')
})
