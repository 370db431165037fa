import sniffEncoding from 'html-encoding-sniffer'
import type { ContentType } from '../http/content-type.ts'
import { XHTML } from '../http/content-type.ts'

/**
 * The text of a page, in the encoding a browser would choose: byte order mark, then Content-Type, then what the page
 * says of itself, then windows-1252 (UTF-8 for XHTML). Unknown labels count as absent; broken bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, { mediaType, charset }: ContentType): string {
  const decoder = decoderFor(
    sniffEncoding(bytes, {
      xml: mediaType === XHTML,
      ...(charset !== undefined && { transportLayerEncodingLabel: charset }),
    }),
  )
  // In one go, Node up to 25 takes windows-1252 for Latin-1 and turns its quotes and dashes into control characters.
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
