import '../server/dist/node-version.js'

const ONCE = '--once'
const others = process.argv.slice(2).filter(argument => argument !== ONCE)
if (others.length > 0) {
  console.error(
    `Unknown: ${others.join(' ')}. Run “npm run demo”, or “npm run demo -- ${ONCE}” to end after the story.`,
  )
  process.exit(2)
}

// After the version check: a Node too old for the demo must not load it.
const { demo } = await import('./story.ts')
try {
  await demo({ once: process.argv.includes(ONCE) })
} catch (error) {
  console.error(`The demo failed: ${(error as Error).message}`)
  process.exitCode = 1
}
