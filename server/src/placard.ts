import './node-version.ts'
import './compile-cache.ts'

// Imported here, because an older Node cannot parse it, and must report its version first.
await import('./ops/cli/cli.ts')
