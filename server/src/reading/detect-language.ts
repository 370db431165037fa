import { detectAll } from 'tinyld'

/** More tells no more, and takes longer. */
const TEXT_MAX_LENGTH = 1000
/** Below it, what a few words look like is a guess. */
const SURE = 0.3

/** The language a text seems to be written in (ISO 639-1), or empty where that is not plain. */
export function detectLanguage(text: string): string {
  const [likely] = detectAll(text.slice(0, TEXT_MAX_LENGTH))
  // Codes of three letters are languages that hardly any page is written in, and many short texts look like.
  return likely && likely.accuracy >= SURE && likely.lang.length === 2 ? likely.lang : ''
}
