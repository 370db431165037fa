// Everything that needs no schema. The client uses only this, so that it installs no library for schemas.
export * from './categories.ts'
export * from './destination-path.ts'
export * from './edit-distance.ts'
export * from './limits.ts'
export * from './review-reasons.ts'
export * from './suggest.ts'
export * from './tool-words.ts'
export * from './wire.ts'
