import { readFileSync } from 'node:fs'

// Loaded before a service (node --import): its clock is wrong by as many milliseconds as WRONG_CLOCK_FILE says, from a
// moment after the file was written. The database's own clock and timers stay right.

const LOOK_EVERY_MS = 100
const rightNow = Date.now
const read = () => Number(readFileSync(process.env.WRONG_CLOCK_FILE ?? '', 'utf8'))
let wrongByMs = read()
setInterval(() => {
  wrongByMs = read()
}, LOOK_EVERY_MS).unref()

Date.now = () => rightNow() + wrongByMs
globalThis.Date = new Proxy(Date, {
  construct: (real, words: [], made) =>
    Reflect.construct(real, words.length === 0 ? [real.now()] : words, made),
})
