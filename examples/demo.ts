import '../server/dist/node-version.js'

// The version check stands first: nothing of the demo is loaded on a Node that cannot run it.
const { demo } = await import('./story.ts')
await demo({ once: process.argv.includes('--once') })
