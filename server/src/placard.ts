#!/usr/bin/env node
import './node-version.ts'
import './compile-cache.ts'
import { extname, join } from 'node:path'

/** Options of Node for the service, as in `npm start`: less memory for a little more work of the garbage collector. */
const OPTIONS = ['--max-semi-space-size=2', '--max-old-space-size=512']

const [command, ...args] = process.argv.slice(2)
if (command === 'serve' && process.platform !== 'win32') {
  // Node takes these options only at its start. The service replaces this process, so it keeps its id and gets signals.
  const main = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
  process.execve?.(process.execPath, [process.execPath, ...OPTIONS, ...process.execArgv, main, ...args], process.env)
}
// Imported here, because an older Node cannot parse it, and must report its version first.
if (command === 'serve') await (await import('./serve.ts')).serve(args)
else {
  // `console` ignores it.
  let failed: NodeJS.ErrnoException | undefined
  process.stdout.on('error', error => {
    failed = error
  })
  await import('./ops/cli/cli.ts')
  // A server that gives no answer may hold a connection open for minutes after the command has reported it.
  const written = (stream: NodeJS.WriteStream) =>
    new Promise(resolve => stream.once('error', resolve).write('', resolve))
  await Promise.all([process.stdout, process.stderr].map(written))
  // A reader such as `head` closes the pipe when it has enough. Every other failure lost output.
  if (failed && failed.code !== 'EPIPE' && !process.exitCode) {
    console.error(`placard: the output could not be written: ${failed.message}`)
    process.exitCode = 1
  }
  process.exit()
}
