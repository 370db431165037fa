// The log of a site, for servers that write it and for everyone who verifies it. Needs only Node's cryptography.
export * from './checkpoint.ts'
export * from './entry.ts'
export * from './note.ts'
export * from './proof-file.ts'
export * from './replay.ts'
export * from './tiles.ts'
export * from './tree.ts'
