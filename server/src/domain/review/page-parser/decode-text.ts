import { isAscii, isUtf8 } from 'node:buffer'
import sniffEncoding from 'html-encoding-sniffer'

/**
 * Decodes a page as a browser would: by byte order mark, then Content-Type, then the page's own declaration, then as
 * UTF-8 if it is that, and else as windows-1252. Unknown labels count as absent, and broken bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, { mediaType, charset }: ContentType): string {
  const label = charset !== undefined && { transportLayerEncodingLabel: charset }
  const isInUtf8 = isUtf8(bytes)
  const encoding =
    mediaType === XHTML
      ? sniffEncoding(bytes, { xml: true, ...label })
      : sniffEncoding(bytes, {
          // Every tenth page declares it after the first 1,024 bytes. In a page in UTF-8, a script only quotes another.
          maxPrescanBytes: isInUtf8 && !isAscii(bytes) ? 1024 : Number.POSITIVE_INFINITY,
          defaultEncoding: isInUtf8 ? 'UTF-8' : 'windows-1252',
          ...label,
        })
  const decoder = decoderFor(encoding)
  // Streaming avoids a bug in Node up to 25: decoding at once treats windows-1252 as Latin-1, which turns its quotes
  // and dashes into control characters.
  return decoder.decode(bytes, { stream: true }) + decoder.decode()
}

function decoderFor(encoding: string) {
  try {
    return new TextDecoder(encoding)
  } catch {
    // "replacement" and "x-user-defined" are names without a decoder.
    return new TextDecoder('windows-1252')
  }
}

export interface ContentType {
  /** In lower case, without parameters; empty if there is none. */
  mediaType: string
  /** The charset parameter as sent, or undefined. */
  charset: string | undefined
}

export const XHTML = 'application/xhtml+xml'

/**
 * Parses a Content-Type header. If it was sent several times, the last one counts, as in browsers, with the charset of an
 * equal one before it. They also ignore what is no type, as in `text/html, charset=utf-8`.
 */
export function readContentType(header = ''): ContentType {
  const types = header.split(',').filter(type => type.includes('/'))
  const mediaType = typeOf(types.at(-1) ?? '')
  // Of two in one type, the first counts.
  const parameters = types
    .filter(type => typeOf(type) === mediaType)
    .flatMap(type => type.split(';').slice(1).toReversed())
  const charsets = parameters.map(parameter => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(parameter)?.[1])
  return { mediaType, charset: charsets.findLast(label => label !== undefined) }
}

const typeOf = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase()
