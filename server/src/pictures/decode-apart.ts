import { spawn } from 'node:child_process'
import { scriptBeside, yieldToTheService } from '../apart.ts'
import { PICTURE_MAX_BYTES, UNUSABLE_EXIT_CODE } from './picture-size.ts'

/** Far more than the slowest honest image takes; a hostile one gets no more. */
const TIMEOUT_MS = 10_000

const SCRIPT = scriptBeside(import.meta.url, 'decode-process')

/** Nothing of the service's own: no secrets, no options. libvips then refuses its riskier parts by itself. */
const ENV = { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' }

let line: Promise<unknown> = Promise.resolve()

/**
 * Makes the picture of an image, see `makePicture`, in a process of its own, one at a time: whatever an image does to
 * its decoder, the service goes on.
 *
 * @returns undefined when the image cannot be used
 * @throws Error when the process failed, took too long or was stopped: another try may go better
 */
export function decodeApart(image: Buffer, signal: AbortSignal): Promise<Buffer | undefined> {
  const decoded = line.then(() => decode(image, signal))
  line = decoded.catch(() => {})
  return decoded
}

function decode(image: Buffer, signal: AbortSignal): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-old-space-size=64', SCRIPT], {
      env: ENV,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      signal,
    })
    // Before it has threads: they inherit it.
    yieldToTheService(child.pid, 19)
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > PICTURE_MAX_BYTES) child.kill('SIGKILL')
    })
    child.once('error', reject)
    child.once('close', (code, endedBy) => {
      if (code === 0) resolve(Buffer.concat(chunks))
      else if (code === UNUSABLE_EXIT_CODE) resolve(undefined)
      else reject(new Error(`the decoder ended with ${endedBy ?? `exit code ${code}`}`))
    })
    // It may be gone before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(image)
  })
}
