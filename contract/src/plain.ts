// What needs no schema: an agent's client is built on it, and installs no library for schemas.
export * from './categories.ts'
export * from './destination-path.ts'
export * from './edit-distance.ts'
export * from './limits.ts'
export * from './review-reasons.ts'
export * from './suggest.ts'
export * from './tool-words.ts'
export * from './wire.ts'
