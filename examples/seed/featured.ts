/** For how many days listings are drawn. With more, most would be out of the draws for the month that follows. */
export const DRAWS = 7

/** What the operator recommends on the home page. It never expires, and nobody reports it. */
export const PICK = {
  host: 'meteo-open.org',
  name: 'Ida',
  words:
    'Eighty years of weather, hour by hour, with no key and no banner. I looked up the day I was born and stayed for an hour.',
}
