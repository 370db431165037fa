import './node-version.ts'

// Only now: what an older Node cannot even read would end it before it is told so.
const { serve } = await import('./serve.ts')
await serve(process.argv.slice(2))
