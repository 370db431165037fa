import './node-version.ts'
import { configFrom } from './config.ts'
import { UNDER_WAY_MAX_MS } from './http/connections.ts'
import { readEnv } from './settings.ts'
import { startService } from './start.ts'

/** A stop that takes longer has failed. */
const STOP_TIMEOUT_MS = UNDER_WAY_MAX_MS + 10_000

try {
  const service = await startService(configFrom(readEnv()))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.app.log.info({ signal }, 'stopping: finishing what is under way')
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
      service.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
} catch (error) {
  console.error(`Placard cannot start: ${(error as Error).message}`)
  process.exit(1)
}
