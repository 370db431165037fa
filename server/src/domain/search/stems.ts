import snowball from 'snowball-stemmers'

/** Snowball's algorithms by language. In other languages, a word is its own stem. */
const ALGORITHMS: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  hu: 'hungarian',
  hy: 'armenian',
  it: 'italian',
  nb: 'norwegian',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sl: 'slovene',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}

/** The language of a query is unknown, so search tries each that uses its script. */
const BY_SCRIPT: [script: RegExp, languages: string[]][] = [
  [
    /^\p{scx=Latn}/u,
    ['en', 'ca', 'cs', 'da', 'de', 'es', 'eu', 'fi', 'fr', 'hu', 'it', 'nl', 'no', 'pt', 'ro', 'sl', 'sv', 'tr'],
  ],
  [/^\p{scx=Cyrl}/u, ['ru']],
  [/^\p{scx=Arab}/u, ['ar']],
  [/^\p{scx=Armn}/u, ['hy']],
  [/^\p{scx=Taml}/u, ['ta']],
]

/** Longer ones are not words, and some algorithms take time quadratic in the length. */
const WORD_MAX_LENGTH = 25
const STEM_MIN_LENGTH = 2
/** Looking a stem up is many times faster than computing it, and most words are repeated. */
const REMEMBERED_MAX = 5000

/** Snowball leaves it in short words, as in “Steuern”. */
const GERMAN_PLURAL = /(e[lr])n$/

/** Returns the stem of a folded word of a text in a language (BCP 47), or the word itself. */
export function stemOf(word: string, language: string): string {
  const algorithm = ALGORITHMS[primaryLanguage(language)]
  if (algorithm === undefined || word.length > WORD_MAX_LENGTH) return word
  const stem = stemWith(algorithm, algorithm === 'german' ? word.replace(GERMAN_PLURAL, '$1') : word)
  return stem.length < STEM_MIN_LENGTH ? word : stem
}

/** The stems of a folded word in the languages of its script, each once, English first. */
export function stemsOf(word: string): string[] {
  const languages = BY_SCRIPT.find(([script]) => script.test(word))?.[1] ?? []
  return [...new Set(languages.map(language => stemOf(word, language)))]
}

/** `pt` of `pt-BR`; empty if it is not a tag. */
export function primaryLanguage(tag: string): string {
  const primary = tag.split('-', 1)[0]?.toLowerCase() ?? ''
  return /^[a-z]{2,8}$/.test(primary) ? primary : ''
}

const stemmers = new Map<string, { stemmer: { stem(word: string): string }; known: Map<string, string> }>()

function stemWith(algorithm: string, word: string): string {
  const made = stemmers.get(algorithm) ?? { stemmer: snowball.newStemmer(algorithm), known: new Map() }
  stemmers.set(algorithm, made)
  const { stemmer, known } = made
  const stem = known.get(word) ?? stemmer.stem(word)
  if (known.size >= REMEMBERED_MAX) known.clear()
  known.set(word, stem)
  return stem
}
