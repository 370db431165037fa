const NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** What listings can be filtered by, in order of their English names. */
export const SEARCH_LANGUAGES: readonly { id: string; name: string }[] = [
  ...['ar', 'az', 'be', 'bg', 'bn', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'es', 'et', 'eu', 'fa', 'fi'],
  ...['fil', 'fr', 'ga', 'gd', 'gl', 'gu', 'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk'],
  ...['km', 'kn', 'ko', 'lo', 'lt', 'lv', 'mk', 'ml', 'mn', 'mr', 'ms', 'my', 'nb', 'ne', 'nl', 'no', 'pa'],
  ...['pl', 'pt', 'ro', 'ru', 'si', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'te', 'th', 'tr', 'uk', 'ur'],
  ...['uz', 'vi', 'zh'],
]
  .map(id => ({ id, name: NAMES.of(id) ?? id }))
  .sort((one, other) => (one.name < other.name ? -1 : 1))

/** A language of the filter, or undefined. */
export const knownSearchLanguage = (id: unknown): string | undefined =>
  SEARCH_LANGUAGES.find(language => language.id === id)?.id
