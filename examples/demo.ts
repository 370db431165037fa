import '../server/dist/node-version.js'

// After the version check, so that a Node that cannot run the demo does not load it.
const { demo } = await import('./story.ts')
await demo({ once: process.argv.includes('--once') })
