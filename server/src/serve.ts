import cluster from 'node:cluster'
import { parseArgs } from 'node:util'
import { configFrom } from './config.ts'
import { UNDER_WAY_MAX_MS } from './http/connections.ts'
import { isPrimary, OUTDATED_EXIT_CODE, partOf, serveForPrimary } from './processes/worker.ts'
import { misspeltSettings } from './settings/misspelt.ts'
import { describeSettings, readEnv } from './settings/settings.ts'
import type { RunningService } from './start.ts'

/** A stop that takes longer counts as failed. */
const STOP_TIMEOUT_MS = UNDER_WAY_MAX_MS + 10_000

/** Runs the service until it is told to stop, or says which setting is wrong. */
export async function serve(args: string[]): Promise<void> {
  try {
    if (isHelpWanted(args)) return void console.log(usage())
  } catch (error) {
    console.error(`Placard cannot start: ${(error as Error).message}`)
    process.exit(2)
  }
  // Printed before the log starts, since the start may fail over the very setting that was meant.
  if (cluster.isPrimary) for (const line of misspeltSettings(process.env)) console.error(`Placard: ${line}`)
  try {
    const config = configFrom(readEnv())
    if (isPrimary(config.workers)) {
      const { Primary } = await import('./processes/primary.ts')
      if (config.metrics) await (await import('./metrics/cluster.ts')).serveForWorkers(config.metrics)
      return new Primary({ ...config, stopTimeoutMs: STOP_TIMEOUT_MS + 5000 }).start()
    }
    // A primary has no use for it.
    const { startService } = await import('./start.ts')
    const service = await startService(config, {}, partOf(config.workers))
    endOn(service)
  } catch (error) {
    console.error(`Placard cannot start: ${(error as Error).message}`)
    process.exit(1)
  }
}

/** Ends the process on a signal, or when its primary is gone, after what is under way. */
function endOn(service: RunningService): void {
  let isStopping = false
  function stop(why: string, exitCode: number): void {
    if (isStopping) return
    isStopping = true
    service.app.log.info({ why }, 'stopping: finishing requests under way')
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    service.stop().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal, 0))
  serveForPrimary(service.ready, () => stop('the primary is gone', 1))
  void service.outdated.then(({ message }) => {
    console.error(`Placard stops: ${message}`)
    stop('this version is too old', OUTDATED_EXIT_CODE)
  })
}

/** @throws Error in one line for any argument except --help: settings are environment variables */
function isHelpWanted(args: string[]): boolean {
  const { values, tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  for (const token of tokens) {
    if (token.kind === 'option' && token.name === 'help' && token.value === undefined) continue
    const word = token.kind === 'positional' ? token.value : args[token.index]
    throw new Error(
      `unknown argument "${word}". Settings are environment variables; npm start -- --help lists them`,
    )
  }
  return values.help === true
}

function usage(): string {
  const settings = describeSettings().map(
    ({ name, fallback, meaning }) => `  ${name}\n      ${meaning} Default: ${fallback}.`,
  )
  return `Usage: npm start

Starts the service, and ends it on SIGTERM. It is set by environment variables:

${settings.join('\n')}

How to run it in earnest: docs/operating.md. The operator's commands: npm run placard -- help`
}
