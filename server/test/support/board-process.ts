// A service as a process of its own that can be killed, with a clock that its parent sets. Runs from the build.
import { configFrom } from '../../dist/platform/config/config.js'
import { startService } from '../../dist/start.js'

let now = Number(process.argv[2])
process.on('message', (time: number) => {
  now = time
  process.send?.({ now })
})
process.once('disconnect', () => process.exit())
const { port } = await startService(configFrom(process.env), { clock: () => now, drawsAhead: false, jobs: () => [] })
process.send?.({ port })
