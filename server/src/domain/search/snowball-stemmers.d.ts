declare module 'snowball-stemmers' {
  /** @throws Error for an algorithm it does not have */
  function newStemmer(algorithm: string): { stem(word: string): string }
  const snowball: { newStemmer: typeof newStemmer }
  export default snowball
}
