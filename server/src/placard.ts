import './node-version.ts'
import './compile-cache.ts'

// Imported only now: an older Node cannot even parse it, and must be told its version first.
await import('./ops/cli/cli.ts')
