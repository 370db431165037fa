import { writeFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import type { NoteSignature } from '@placard/contract/log'
import { type Difference, Disagreement } from '../../log/disagreement.ts'
import type { FollowedLog } from '../../log/follow.ts'
import { type BoardReport, verifyBoard } from '../../log/verify-board.ts'
import { counted } from '../../service/text.ts'
import type { Context, Result } from '../context.ts'
import { openLog, waitsOf } from '../open-log.ts'

/** How many differences are printed as text. */
const SHOWN_MAX = 20

/** Reads the log of a service, and compares the service's boards and draws with it. Saves the state of the log. */
export async function verifyTheBoard(context: Context): Promise<Result> {
  keepHeapSmall()
  const service = context.service()
  const client = context.client(service)
  const { log, files, sizeBefore, path, keep } = await openLog(context, client)
  try {
    const report = await verifyBoard(client, files, log, waitsOf(context))
    await keep()
    return resultOf(service, { ...report, log: logOf(log, sizeBefore) })
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error
    const { kind, sentence } = error
    // The log records what it lost, so the next run can verify the rest.
    if (kind === 'log_recovered') await keep()
    const evidence = kind === 'log_rewritten' ? `${path}.other-checkpoint` : undefined
    if (evidence) await writeFile(evidence, log.lastNote)
    return resultOf(service, { differences: [{ kind, sentence }], ...(evidence && { evidence: [path, evidence] }) })
  }
}

/**
 * Makes V8 collect garbage sooner. A log of a million entries leaves 5 GB of garbage and 50 MB of totals, and by default
 * V8 would let the heap grow to several times what is in use.
 */
function keepHeapSmall(): void {
  try {
    setFlagsFromString('--semi-space-growth-factor=1')
    setFlagsFromString('--heap-growing-percent=15')
  } catch {
    // Other runtimes have no such flags.
  }
}

interface Outcome extends Partial<BoardReport> {
  differences: Difference[]
  log?: ReturnType<typeof logOf>
  /** Files with two checkpoints that contradict each other. */
  evidence?: string[]
}

const logOf = ({ replay, signatures }: FollowedLog, sizeBefore: number | undefined) => ({
  origin: replay.origin,
  entries: replay.size,
  newEntries: replay.size - (sizeBefore ?? 0),
  isFirstLook: sizeBefore === undefined,
  isOlderSite: replay.replayed,
  clockSetBack: replay.clockSetBack,
  signatures,
})

function resultOf(service: string, outcome: Outcome): Result {
  const { differences, log, places = 0, days = 0, draws = 0, evidence } = outcome
  const agrees = differences.length === 0
  const more = differences.length - SHOWN_MAX
  return {
    text: [
      `The boards of ${service} ${agrees ? 'agree' : 'do not agree'} with the log.`,
      '',
      ...differences.slice(0, SHOWN_MAX).map(({ sentence }) => `  NO   ${sentence}`),
      ...(more > 0 ? [`  NO   ${more} more: --json has them.`] : []),
      ...(agrees
        ? [
            `  yes  ${counted(places, 'place')}, ${counted(days, 'past day')} and ${counted(draws, 'draw')} are as in the log`,
          ]
        : []),
      ...(log ? logText(log) : []),
      ...(evidence ? ['', 'Two signed checkpoints prove it. Keep these files:', ...evidence] : []),
    ],
    json: { service, agrees, ...outcome },
    exitCode: agrees ? 0 : 1,
  }
}

const logText = (log: ReturnType<typeof logOf>): string[] => [
  `  yes  The signed checkpoint of ${log.origin} follows from ${counted(log.entries, 'entry', 'entries')}, ${log.newEntries} of them new`,
  ...log.signatures.map(signature => `  yes  ${signatureText(signature)}`),
  ...(log.isFirstLook
    ? ['', 'This log was verified for the first time. Compare its key with a copy from another source.']
    : []),
  ...(log.clockSetBack === undefined
    ? []
    : ['', `The clock of the log was set back before entry ${log.clockSetBack}.`]),
]

/** Returns who signed, and when if the signature says so. */
export const signatureText = ({ vkey, name, time }: NoteSignature): string =>
  time === undefined ? `Signed by ${vkey}` : `Cosigned by ${name} at ${new Date(time * 1000).toISOString()}`
