import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { OUTSIDE_GROUP, yieldToTheService } from '../../platform/lib/child-process.ts'
import { cacheFile, packageFile, scriptFile } from '../../platform/lib/package.ts'
import { type Drawing, PICTURE_MAX_BYTES, SHARE_MAX_BYTES, UNUSABLE_EXIT_CODE, UnusableImage } from './drawing.ts'

interface DrawingTask {
  kind: 'drawing'
  drawing: Drawing
  /** The stored picture of a listing that has one. */
  picture: Uint8Array | null
}

/** A picture to make, by `makePicture` or `draw`. */
export type Task = DrawingTask | { kind: 'picture'; image: Uint8Array }

/** Far longer than the slowest valid task takes on a busy machine. */
const TIMEOUT_MS = 20_000
/** On a busy machine, pictures wait for the service. With the lowest priority, some would take longer than they may. */
const NICENESS = 5
/** After this many tasks, a fresh process takes over. */
const TASKS_MAX = 200

const SCRIPT = scriptFile('ops/processes/make-pictures')
/** Only our fonts, and where fontconfig caches what it knows about them. */
export const FONTS_ENV = {
  FONTCONFIG_FILE: packageFile('fonts/fonts.conf'),
  XDG_CACHE_HOME: cacheFile('fonts/built'),
}
/**
 * No variables of the service's environment: no secrets, no options. The libvips variable disables its riskier loaders.
 */
const ENV = { ...FONTS_ENV, VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' }

/**
 * Makes pictures in a separate process, so that no image or title can stop the service. It starts with the first task,
 * and stays, because on a busy machine a start takes seconds.
 */
export class PictureMaker {
  readonly #niceness: number
  readonly #timeoutMs: number
  #child: ChildProcess | undefined
  #tasks = 0

  /**
   * @param niceness of the process, up to 19
   * @param timeoutMs longer for tests, which must not depend on how busy the machine is
   */
  constructor(niceness = NICENESS, timeoutMs = TIMEOUT_MS) {
    this.#niceness = niceness
    this.#timeoutMs = timeoutMs
  }

  /**
   * Makes one picture. Call it for one at a time.
   *
   * @throws UnusableImage if a retry would not help
   * @throws Error if the process failed or took too long: a retry may succeed
   */
  async make(task: Task): Promise<Buffer> {
    // An idle process may have been killed, as the first one when memory runs out.
    if (this.#tasks++ % TASKS_MAX === 0 || !this.#child?.connected) this.end()
    this.#child ??= start(this.#niceness)
    const timeout = setTimeout(() => this.end(), this.#timeoutMs)
    try {
      return await answerOf(this.#child, task)
    } catch (error) {
      this.end()
      throw error
    } finally {
      clearTimeout(timeout)
    }
  }

  /** Ends the process. Its current task fails. */
  end(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

/** Starts the process. It does not keep the service alive, and ends with it. */
function start(niceness: number): ChildProcess {
  const child = fork(SCRIPT, {
    ...OUTSIDE_GROUP,
    execArgv: ['--max-old-space-size=64'],
    env: ENV,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  // `make` notices when the output ends.
  child.on('error', () => {})
  if (child.pid === undefined) throw new Error('could not start a picture process')
  // Before the process has threads, which then inherit the priority.
  yieldToTheService(child.pid, niceness)
  child.unref()
  child.channel?.unref()
  ;(child.stdout as Socket).unref()
  return child
}

async function answerOf(child: ChildProcess, task: Task): Promise<Buffer> {
  const maxBytes = task.kind === 'drawing' ? SHARE_MAX_BYTES : PICTURE_MAX_BYTES
  child.send(task)
  let answer = Buffer.alloc(0)
  for await (const chunk of (child.stdout as Socket).iterator({ destroyOnReturn: false })) {
    answer = Buffer.concat([answer, chunk])
    if (answer.length > 4 + maxBytes) throw new Error('the picture has too many bytes')
    if (answer.length > 4 && answer.length === 4 + answer.readUInt32BE()) return answer.subarray(4)
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (child.exitCode === UNUSABLE_EXIT_CODE) throw new UnusableImage('the image cannot be used')
  throw new Error(`the process of a picture ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`)
}
