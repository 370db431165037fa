import '../server/dist/node-version.js'

// After the version check: a Node too old for the demo must not load it.
const { demo } = await import('./story.ts')
await demo({ once: process.argv.includes('--once') })
