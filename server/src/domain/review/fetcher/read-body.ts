import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { cannotTell, reject } from '../verdict.ts'
import { FetchEnded, type LargeBodyPermit } from './limits.ts'

const DECODERS = {
  gzip: promisify(gunzip),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
}

/** The content codings that `decodeBody` knows. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

interface Within {
  maxBytes: number
  /** Called before more than the first block is held in memory. */
  permit: Pick<LargeBodyPermit, 'obtain'>
}

/**
 * Most pages are smaller. If each got a block of the largest size, the garbage collector would slow down everything.
 */
const FIRST_BLOCK_BYTES = 64 * 1024

/**
 * Reads a body of at most `maxBytes`. While it grows, it takes up to twice as much memory.
 * @throws FetchEnded `too_large`, at the first byte beyond
 */
export async function readBody(body: AsyncIterable<Uint8Array>, { maxBytes, permit }: Within): Promise<Buffer> {
  // One block instead of a list: a body sent byte by byte would take a hundred times its size in small buffers.
  let block = Buffer.allocUnsafe(Math.min(FIRST_BLOCK_BYTES, maxBytes))
  let size = 0
  for await (const chunk of body) {
    const wanted = size + chunk.length
    if (wanted > maxBytes) throw new FetchEnded(reject('too_large'))
    if (wanted > block.length) await permit.obtain()
    if (wanted > block.length) block = grown(block.subarray(0, size), Math.min(2 * wanted, maxBytes))
    block.set(chunk, size)
    size = wanted
  }
  return block.subarray(0, size)
}

function grown(block: Buffer, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(bytes)
  larger.set(block)
  return larger
}

/**
 * Decodes at most one content coding. Stops at the first byte over `maxBytes`, so a small body that unpacks to
 * gigabytes costs no more than a normal one.
 * @throws FetchEnded `too_large`; `not_a_web_page` if the coding is unknown or broken; "cannot tell" if it is cut off
 */
export async function decodeBody(body: Buffer, contentEncoding: string, { maxBytes, permit }: Within): Promise<Buffer> {
  const coding = contentEncoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity' || body.length === 0) return body
  const decode = decoderOf(coding, body)
  if (decode === undefined)
    throw new FetchEnded(reject('not_a_web_page', 'The website uses an unknown content coding.'))
  await permit.obtain()
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new FetchEnded(reject('too_large'))
    if (code === 'Z_BUF_ERROR')
      throw new FetchEnded(
        cannotTell('the compressed body is cut off', 'site_unreachable', 'The page of the website is cut off.'),
      )
    throw new FetchEnded(reject('not_a_web_page', 'The website’s content coding is broken.'))
  }
}

/** Servers send it without optional fields. */
const GZIP_HEADER_BYTES = 10

/**
 * Decodes gzip. Like browsers, ignores a wrong checksum, and what follows it: some pages print more after the server
 * ended the compression.
 */
async function readGzip(body: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  try {
    return await DECODERS.gzip(body, options)
  } catch (error) {
    const hasOptionalFields = body[3] !== 0
    if (hasOptionalFields || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error
    return DECODERS.deflate(body.subarray(GZIP_HEADER_BYTES), options)
  }
}

function decoderOf(coding: string, body: Buffer) {
  if (coding === 'gzip' || coding === 'x-gzip') return readGzip
  if (coding === 'br') return DECODERS.br
  if (coding === 'deflate') return isZlib(body) ? DECODERS.zlib : DECODERS.deflate
  return undefined
}

/** "deflate" means the zlib format (RFC 9110), but many servers send the bare stream, and browsers accept both. */
const isZlib = ([first = 0]: Buffer): boolean => (first & 0x0f) === 8
