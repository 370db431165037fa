import cluster from 'node:cluster'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { parseArgs } from 'node:util'
import {
  isPrimary,
  OUTDATED_EXIT_CODE,
  onStopSignals,
  Primary,
  partOf,
  serveForPrimary,
} from './ops/processes/cluster.ts'
import { type Config, configFrom } from './platform/config/config.ts'
import { hostAndPort } from './platform/config/old-names.ts'
import { misspeltSettings, readEnv } from './platform/config/settings.ts'
import { diskAdvice } from './platform/db/failures.ts'
import { UNDER_WAY_MAX_MS } from './platform/http/connections.ts'
import { COMMAND } from './platform/lib/package.ts'
import type { RunningService } from './start.ts'

/** A stop that takes longer counts as failed. */
const STOP_TIMEOUT_MS = UNDER_WAY_MAX_MS + 10_000

/** Runs the service until a signal stops it, or prints which setting is invalid. */
export async function serve(args: string[]): Promise<void> {
  try {
    if (isHelpWanted(args)) return void console.log(USAGE)
  } catch (error) {
    console.error(`Placard cannot start: ${(error as Error).message}`)
    process.exit(2)
  }
  // Printed before the log starts, because the misspelt setting may make the start fail.
  if (cluster.isPrimary) for (const line of misspeltSettings(process.env)) console.error(`Placard: ${line}`)
  try {
    const config = configFrom(readEnv())
    if (cluster.isPrimary) await refuseUnusableAddresses(config)
    if (isPrimary(config.workers)) {
      if (config.metrics) await (await import('./ops/metrics/serve.ts')).serveForWorkers(config.metrics)
      return new Primary({ ...config, stopTimeoutMs: config.stopDelayMs + STOP_TIMEOUT_MS + 5000 }).start()
    }
    // Before the start: its last line says that the service is ready, and a signal may come at once. In a worker, the
    // primary's message can hasten the stop.
    const { promise: signal, resolve } = Promise.withResolvers<NodeJS.Signals>()
    onStopSignals(resolve, cluster.isWorker ? () => {} : () => process.exit(1))
    // A primary does not need it.
    const { startService } = await import('./start.ts')
    const service = await startService(config, {}, partOf(config.workers))
    endOn(service, signal, config.stopDelayMs)
  } catch (error) {
    console.error(`Placard cannot start: ${(error as Error).message}${diskAdvice(error)}`)
    process.exit(1)
  }
}

/**
 * Checks addresses and ports before the database is opened. A start that fails later may have migrated the database, and so
 * stopped the instances of an older version.
 *
 * @throws Error in one line if one cannot be used
 */
async function refuseUnusableAddresses({ host, port, metrics }: Config): Promise<void> {
  await refuseUnusable(`HOST ${host} PORT ${port}`, { host, port })
  if (metrics) await refuseUnusable(`METRICS_LISTEN ${hostAndPort(metrics)}`, metrics)
}

/** Connects instead of listening there for a moment, which would reset the connections of a proxy that tries again and again. */
async function refuseUnusable(name: string, { host, port }: { host: string; port: number }): Promise<void> {
  // Any free port shows whether the address is one of this machine.
  const server = createServer().listen({ host, port: 0 })
  await once(server, 'listening').catch(({ message }) => {
    throw new Error(`${name} cannot be used: ${message}. Choose an address of this machine`)
  })
  server.close()
  if (port === 0) return
  const socket = connect({ host, port, timeout: ANSWER_MAX_MS })
  const isTaken = await new Promise<boolean>(resolve => {
    // A connection to a free port can reach its own end, if the system happens to give it that port.
    socket.once('connect', () => resolve(socket.localPort !== socket.remotePort))
    // Whatever else is wrong, the start itself finds out.
    socket.once('error', () => resolve(false)).once('timeout', () => resolve(false))
  })
  socket.destroy()
  if (isTaken) {
    throw new Error(
      `${name} cannot be used: EADDRINUSE, another program has it. Stop that program, or choose another port`,
    )
  }
}

const ANSWER_MAX_MS = 1000

/** Ends the process on a signal, or when its primary is gone, after requests in progress. */
function endOn(service: RunningService, signal: Promise<NodeJS.Signals>, stopDelayMs: number): void {
  let isStopping = false
  function stop(why: string, exitCode: number, delayMs = 0): void {
    if (isStopping) return
    isStopping = true
    service.app.log.info({ why }, 'stopping: finishing requests in progress')
    setTimeout(() => process.exit(1), delayMs + STOP_TIMEOUT_MS).unref()
    service.stop(delayMs).then(
      () => process.exit(exitCode),
      () => process.exit(1),
    )
  }
  // After Ctrl+C, no load balancer needs to notice.
  void signal.then(name => stop(name, 0, name === 'SIGTERM' ? stopDelayMs : 0))
  serveForPrimary(service.ready, () => stop('the primary is gone', 1))
  void service.outdated.then(({ message }) => {
    console.error(`Placard stops: ${message}`)
    stop('this version is too old', OUTDATED_EXIT_CODE)
  })
}

/**
 * Returns whether --help is given. @throws Error in one line for any other argument: settings are environment variables
 */
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
    throw new Error(`unknown argument "${word}". Settings are environment variables; ${LISTS_THEM}`)
  }
  return values.help === true
}

const LISTS_THEM = `"${COMMAND} settings" lists them`

const USAGE = `Usage: ${COMMAND} serve

Starts Placard. SIGTERM stops it. Settings are environment variables; ${LISTS_THEM}.

How to run it in production: docs/install.md. The operator's commands: ${COMMAND} help`
