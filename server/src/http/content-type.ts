export interface ContentType {
  /** In lower case without parameters; empty when there is none. */
  mediaType: string
  /** The label of the charset parameter as sent, else undefined. */
  charset: string | undefined
}

export const XHTML = 'application/xhtml+xml'

/** Reads a Content-Type header. When it was sent several times, the last one counts, as in browsers. */
export function readContentType(header = ''): ContentType {
  const [mediaType = '', ...parameters] = (header.split(',').at(-1) ?? '').split(';')
  const charset = parameters.map(parameter => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(parameter)?.[1])
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset.find(label => label !== undefined) }
}
