import '../server/dist/node-version.js'

// After the version check: a Node too old for the service must not load it.
const { seed } = await import('./seed/seed.ts')
try {
  await seed()
} catch (error) {
  console.error(`The board was not filled: ${(error as Error).message}`)
  process.exitCode = 1
}
