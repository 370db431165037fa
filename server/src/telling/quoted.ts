import { plainText } from '../reading/plain-text.ts'

const QUOTED_MAX_LENGTH = 80

/**
 * What a stranger wrote, in a line of ours: short, in one line, without quotation marks that could end it early, and
 * with nothing that a mail program makes a link of.
 */
export const quoted = (text: string): string =>
  `“${plainText(text, QUOTED_MAX_LENGTH)
    .replaceAll(/[“”"]/g, '')
    .replaceAll(/[.。．｡](?=[\p{L}\p{N}])/gu, '[.]')
    .replaceAll(/:(?=\S)/g, '[:]')
    .replaceAll('@', '[at]')}”`
