import './node-version.ts'

// Only now: what an older Node cannot even read would end it before it is told so.
await import('./operator.ts')
