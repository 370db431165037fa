export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

/** Escapes text for XML 1.0, in elements and attributes. Drops characters that XML cannot represent. */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_IN_XML, '')
    .replace(/[<>&"']/g, character => ENTITIES[character] ?? '')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g

const ENTITIES: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
}
