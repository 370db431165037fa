#!/usr/bin/env node
// Nothing else is loaded before this check, so that an old Node prints one clear line instead of a stack trace.
const [major] = process.versions.node.split('.').map(Number)

if ((major ?? 0) < 22) {
  console.error(
    `placard-agent needs Node.js 22 or newer, but this is ${process.versions.node}. Install a newer Node.js.`,
  )
  process.exitCode = 2
} else {
  // A reader such as `head` closes the pipe when it has enough. Every other failure lost output.
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    console.error(`placard-agent: The output could not be written: ${message}. Run the same command again.`)
    if (!process.exitCode) process.exitCode = 3
  })
  process.stderr.on('error', () => {})
  const { run } = await import('./command/run.ts')
  process.exitCode = (await run(process.argv.slice(2), process)) || process.exitCode
}
