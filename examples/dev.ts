import '../server/dist/node-version.js'

// After the version check, so that a Node that cannot run the service does not load it.
const { dev } = await import('./watch.ts')
try {
  await dev()
} catch (error) {
  console.error(`Placard cannot start: ${(error as Error).message}`)
  process.exitCode = 1
}
