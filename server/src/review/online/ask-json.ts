import { Unanswerable } from '../caution.ts'

const BODY_MAX_BYTES = 256 * 1024

/** That it is the question: a picture that nobody can load, or an address that is too long. */
const QUESTION_FAULTS = [400, 413, 414, 422]

/**
 * Sends one request and reads its reply as JSON.
 *
 * @throws Error if there is none: another status than 200, a redirect, another type, too long. The message never repeats
 * what was sent or answered.
 */
export async function askJson(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.status !== 200) {
    await response.body?.cancel()
    const Fault = QUESTION_FAULTS.includes(response.status) ? Unanswerable : Error
    throw new Fault(`answered with status ${response.status}`)
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > BODY_MAX_BYTES) throw new Error('answered with too much')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('answered with something other than JSON')
  }
}

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
