import '../server/dist/node-version.js'

// After the version check: a Node too old for the service must not load it.
const { dev } = await import('./watch.ts')
try {
  await dev()
} catch (error) {
  console.error(`Placard cannot start: ${(error as Error).message}`)
  process.exitCode = 1
}
