/**
 * Queries that search was never tuned on, in the shape of those in `queries.ts`. They were written from the listings
 * before the code that they test. Where search gets one wrong, mend the rule and leave the wanted answers as they are.
 */
export const HELD_OUT: readonly [typed: string, meant: string[]][] = [
  // Accents, hyphens, other spellings.
  ['vélo', ['cargobikefinder.com']],
  ['e-mail', ['pigeonpost.email', 'leakletter.com']],
  ['email', ['pigeonpost.email', 'leakletter.com']],
  ['steuern', ['steuerkiosk.de']],
  ['straße', []],
  ['Brückenfunk', ['xn--brckenfunk-beb.de']],
  ['ukraine glass', []],
  ['préparer voyage', []],
  // Numbers.
  ['1,204 tonnes', ['rivercleanup.org']],
  ['1.204', ['rivercleanup.org']],
  ['1204', ['rivercleanup.org']],
  ['1.800 ricette', ['ricettario.it']],
  ['€20,000', ['tinyplots.com']],
  ['12,000 photographs', ['typewalk.co']],
  ['+44 20 7946 0958', []],
  // Emoji and signs.
  ['🦀', ['rustigator.rs']],
  ['⛳', ['wordlebutgolf.com']],
  ['volcano 🌋', ['volcanocam.is']],
  ['🦄', []],
  ['.env', ['envelope.run']],
  ['c++', []],
  // Ordinary words.
  ['cargo bikes', ['cargobikefinder.com']],
  ['maths for children', ['fractionsfirst.org']],
  ['chess', ['hexwar.games']],
  ['help desk', ['ticketminnow.com']],
  ['summaries', ['slate-summaries.com']],
  ['camera', ['shuttercount.org', 'volcanocam.is']],
  ['stretching', ['stretchclock.app']],
  ['static analysis', ['rustigator.rs']],
  ['prompt', ['promptpantry.com']],
  ['postgre', ['pgpeek.dev', 'migrato.dev']],
  ['train', ['nighttrains.eu']],
  ['sleep diary', []],
  ['repair', ['repaircafe-leeds.org.uk']],
  // Other languages, and from one into another.
  ['garden', ['annaverhoeven.nl']],
  ['volunteering', ['gwylan.cymru']],
  ['ferry', ['eilean.scot']],
  ['muzeu', ['noapteamuzeelor.ro']],
  ['bougies', ['atelier-lune.fr']],
  ['농장', ['gatcha.kr']],
  ['קטנה', ['haaretz-hakatan.co.il']],
  ['Reykjavik', ['fermentarium.is']],
  // Typos.
  ['chordwize', ['chordwise.app']],
  ['postcrads', ['dungeon-postcards.com']],
  ['timelaspe', ['timelapse.earth']],
  // Nothing to be found.
  ['mortgage calculator', []],
  ['dentist', []],
]
