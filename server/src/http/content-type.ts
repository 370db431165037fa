export interface ContentType {
  /** In lower case, without parameters; empty if there is none. */
  mediaType: string
  /** The charset parameter as sent, or undefined. */
  charset: string | undefined
}

export const XHTML = 'application/xhtml+xml'

/** Parses a Content-Type header. If it was sent several times, the last one counts, as in browsers. */
export function readContentType(header = ''): ContentType {
  const [mediaType = '', ...parameters] = (header.split(',').at(-1) ?? '').split(';')
  const charset = parameters.map(parameter => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(parameter)?.[1])
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset.find(label => label !== undefined) }
}
