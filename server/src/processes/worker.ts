import cluster from 'node:cluster'
import type { Ready } from '../log/tell-ready.ts'

/** In the environment of a worker: the how manieth it is, from 1. */
const NUMBER = 'PLACARD_WORKER'

/** Which of a machine's processes this one is. */
export interface Part {
  /** Whether it does what one process of a machine does: the lock on DATA_DIR, warnings at start, the sandbox's deliveries. */
  isFirst: boolean
  /** How many serve. */
  processes: number
  /** Whether it was started by a primary, which keeps the request limits for all. */
  isWorker: boolean
}

/** A process ends with it that may not work on the database any more. */
export const OUTDATED_EXIT_CODE = 3

export const ALONE: Part = { isFirst: true, processes: 1, isWorker: false }

export const workerEnv = (number: number) => ({ [NUMBER]: String(number) })

export const isPrimary = (workers: number): boolean => workers > 1 && cluster.isPrimary

/** The part of this process. */
export const partOf = (workers: number): Part =>
  cluster.isWorker ? { isFirst: process.env[NUMBER] === '1', processes: workers, isWorker: true } : ALONE

/**
 * Tells the primary that this worker serves. If the primary is gone, nobody would start this worker again or hand it
 * connections, so it stops.
 *
 * @param stop ends this process in its own time
 */
export function serveForPrimary(ready: Ready, stop: () => void): void {
  const { worker } = cluster
  if (!worker) return
  worker.once('disconnect', () => {
    // Otherwise Node would end this process at once, with requests under way.
    worker.exitedAfterDisconnect = true
    stop()
  })
  worker.send({ ready })
}
