import './node-version.ts'
import './compile-cache.ts'

// Imported here, because an older Node cannot parse it, and must report its version first.
const { serve } = await import('./serve.ts')
await serve(process.argv.slice(2))
