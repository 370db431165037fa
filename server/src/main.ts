import './node-version.ts'
import './compile-cache.ts'

// Imported only now: an older Node cannot even parse it, and must be told its version first.
const { serve } = await import('./serve.ts')
await serve(process.argv.slice(2))
