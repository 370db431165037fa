import '../server/dist/node-version.js'

// The version check stands first: nothing of the service is loaded on a Node that cannot run it.
const { dev } = await import('./watch.ts')
try {
  await dev()
} catch (error) {
  console.error(`Placard cannot start: ${(error as Error).message}`)
  process.exitCode = 1
}
