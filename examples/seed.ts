import '../server/dist/node-version.js'

// The version check stands first: nothing of the service is loaded on a Node that cannot run it.
const { seed } = await import('./seed/seed.ts')
try {
  await seed()
} catch (error) {
  console.error(`The board was not filled: ${(error as Error).message}`)
  process.exitCode = 1
}
