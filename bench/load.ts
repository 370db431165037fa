import autocannon from 'autocannon'
import type { ServerProcess } from './server-process.ts'

/** One kind of request, sent again and again. */
export interface Target {
  server: ServerProcess
  path: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Builds each request, if requests must differ. */
  setupRequest?: (request: autocannon.Request) => autocannon.Request
  /** Expected status; any other fails the run. */
  status: number
}

export interface Measured {
  answered: number
  perSecond: number
  cpuMicros: number
}

const CONNECTIONS = 32
/** How often the load looks whether its time is over. */
const SAMPLE_MS = 20
const PATIENCE_SECONDS = 5

/** Loads a target for some seconds. @throws Error on any unexpected reply */
export async function load(target: Target, seconds: number): Promise<Measured> {
  const { server, path, method = 'GET', headers = {}, body, setupRequest, status } = target
  const cpuBefore = await server.cpuMicros()
  const startedAt = performance.now()
  const sleep = stayAwake()
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: SAMPLE_MS,
    requests: [
      { path, method, headers, ...(body !== undefined && { body }), ...(setupRequest && { setupRequest }) },
    ],
  })
  sleep()
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  const cpuAfter = await server.cpuMicros()
  const answered = result.requests.total
  // On a busy machine, a short slice can end before its first reply.
  if (answered === 0 && result.errors === 0 && seconds < PATIENCE_SECONDS) return load(target, 2 * seconds)
  const expected = result.statusCodeStats?.[`${status}`]?.count ?? 0
  if (answered === 0 || result.errors > 0 || expected !== answered) {
    throw new Error(`${method} ${path}: wanted only ${status}, got ${JSON.stringify(result.statusCodeStats)}`)
  }
  return { answered, perSecond: answered / elapsedSeconds, cpuMicros: (cpuAfter - cpuBefore) / answered }
}

/**
 * Keeps this process from sleeping between replies. If the server is slower than the load, each reply would wake a
 * sleeping processor, which on a virtual machine costs the server more than the reply itself. That would measure the
 * machine, not the service. @returns a function that ends it
 */
function stayAwake(): () => void {
  let awake = true
  const turn = () => {
    if (awake) setImmediate(turn)
  }
  turn()
  return () => {
    awake = false
  }
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)

/** Between two numbers, as far as `share` lies between their places. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const [below = 0, above = below] = sorted.slice(Math.floor(place))
  return below + (place % 1) * (above - below)
}
