import { StringDecoder } from 'node:string_decoder'

/** No row comes near it. */
const LINE_MAX = 2 ** 26

/** Splits a stream of bytes into lines. A last line without a line break is left out: it was cut off. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  // In pieces, since a line with a picture comes in many.
  let begun: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [rest = '', ...others] = decoder.write(chunk).split('\n')
    begun.push(rest)
    length += rest.length
    if (length > LINE_MAX) throw new Error('a line is too long')
    const last = others.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield* others
    begun = [last]
    length = last.length
  }
}
