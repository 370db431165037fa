import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { cannotTell, reject } from '../destinations/verdict.ts'
import { FetchEnded } from './fetch-ended.ts'

const DECODERS = {
  gzip: promisify(gunzip),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
}

/** The content codings `decodeBody` knows, as an Accept-Encoding header. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/** Most pages are smaller. A block of the largest size for each would keep the garbage collector busy, which holds up everything. */
const FIRST_BLOCK_BYTES = 64 * 1024

/**
 * Reads a body of at most `maxBytes`, and for a moment holds at most twice as much.
 * @throws FetchEnded `too_large`, at the first byte too many
 */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  // One block instead of a list: a body sent byte by byte would take a hundred times its size in small buffers.
  let block = Buffer.allocUnsafe(Math.min(FIRST_BLOCK_BYTES, maxBytes))
  let size = 0
  for await (const chunk of body) {
    const wanted = size + chunk.length
    if (wanted > maxBytes) throw new FetchEnded(reject('too_large'))
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
 * gigabytes costs no more than an honest one.
 * @throws FetchEnded `too_large`; `not_a_web_page` if the coding is unknown or broken; "cannot tell" if it is cut off
 */
export async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const coding = contentEncoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity' || body.length === 0) return body
  const decode = decoderOf(coding, body)
  if (decode === undefined)
    throw new FetchEnded(reject('not_a_web_page', 'It uses an unknown content coding.'))
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new FetchEnded(reject('too_large'))
    if (code === 'Z_BUF_ERROR') throw new FetchEnded(cannotTell('the compressed body is cut off'))
    throw new FetchEnded(reject('not_a_web_page', 'Its content coding is broken.'))
  }
}

function decoderOf(coding: string, body: Buffer) {
  if (coding === 'gzip' || coding === 'x-gzip') return DECODERS.gzip
  if (coding === 'br') return DECODERS.br
  if (coding === 'deflate') return hasZlibHeader(body) ? DECODERS.zlib : DECODERS.deflate
  return undefined
}

/** "deflate" means the zlib format (RFC 9110), but many servers send the bare stream, and browsers accept both. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
}
