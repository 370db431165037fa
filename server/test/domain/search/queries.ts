/**
 * What people search for on the seeded board, and the websites that they mean, in no order: all of them where there are
 * at most five, else those that answer best. Written from the listings, before anything was found.
 */
export const QUERIES: readonly [typed: string, meant: string[]][] = [
  // Words, their forms, categories.
  [
    'agent',
    ['crewbench.dev', 'errandly.app', 'nightdesk.works', 'drobne-sprawy.pl', 'waechter.agency', 'harborpilot.ai'],
  ],
  [
    'agents',
    ['crewbench.dev', 'errandly.app', 'nightdesk.works', 'drobne-sprawy.pl', 'waechter.agency', 'harborpilot.ai'],
  ],
  ['developer tools', DEVELOPER_TOOLS()],
  ['Developer Tools postgres', ['pgpeek.dev', 'migrato.dev']],
  ['invoices', ['invoicely-nordic.se']],
  ['invoice', ['invoicely-nordic.se']],
  [
    'photography',
    [
      'zidlumen.lv',
      'elifkaya.com.tr',
      'yukitanaka.jp',
      'typewalk.co',
      'vinylshelf.co',
      'shuttercount.org',
      'grainfield.co',
      'timelapse.earth',
    ],
  ],
  [
    'photographs',
    [
      'zidlumen.lv',
      'elifkaya.com.tr',
      'yukitanaka.jp',
      'typewalk.co',
      'vinylshelf.co',
      'shuttercount.org',
      'grainfield.co',
      'timelapse.earth',
    ],
  ],
  ['recipes', ['ricettario.it', 'fermentarium.is']],
  ['bread', ['sourdoughtimer.com', 'bakeryhop.paris']],
  ['bakery', ['sourdoughtimer.com', 'bakeryhop.paris']],
  ['meeting', ['meetingtax.com']],
  ['translations', ['prekladnik.cz']],
  ['libraries', ['biblioteka-podworko.pl', 'bibliobus.pt', 'hikayat.net']],
  ['recording', ['mockingbird.sh', 'crewbench.dev', 'vinylshelf.co']],
  ['walking', ['bangkokwalks.co', 'bakeryhop.paris', 'typewalk.co']],
  ['encrypted secrets', ['envelope.run']],
  ['bookkeeping', ['ledgerlark.com']],
  ['jobs', ['fourdayjobs.com', 'remoto.la', 'tyopolku.fi']],
  ['newsletters', ['newsletterswap.io', 'alsifr.news']],
  ['open source', ['redactor.tools']],
  ['privacy analytics', ['plainmetrics.io']],
  ['password manager', ['keyring.family']],
  ['weather', ['meteo-open.org', 'hexwar.games']],
  // Beginnings while typing.
  ['linoc', ['inkandember.com']],
  ['volca', ['volcanocam.is']],
  ['bookke', ['ledgerlark.com']],
  ['night tra', ['nighttrains.eu']],
  ['learn lat', ['learnlatin.now']],
  // Parts inside words.
  ['lantern', ['hexlantern.io']],
  ['minnow', ['ticketminnow.com']],
  ['pantry', ['promptpantry.com']],
  ['orchard', ['pixelorchard.net']],
  ['gator', ['rustigator.rs']],
  ['kalender', ['festkalender.at', 'klubovna.sk']],
  // Typos.
  ['sourdoh', ['sourdoughtimer.com']],
  ['hexlantren', ['hexlantern.io']],
  ['tomatoe seed', ['tomatoseed.co']],
  ['bookeeping', ['ledgerlark.com']],
  ['volcanoe', ['volcanocam.is']],
  ['marginlia', ['marginalia-club.org']],
  ['asronomia', ['universo-abierto.mx']],
  ['pigoen post', ['pigeonpost.email']],
  ['newsleter swap', ['newsletterswap.io']],
  // Other languages and scripts.
  ['카페', ['repaircafe-leeds.org.uk']],
  [
    '게임',
    [
      'gatcha.kr',
      'dungeon-postcards.com',
      'tidevarv.games',
      'kerning-ist-liebe.de',
      'threatcards.io',
      'hexwar.games',
      'wordlebutgolf.com',
    ],
  ],
  ['ことば', ['kotoba.jp']],
  ['写真', ['yukitanaka.jp', 'zidlumen.lv', 'elifkaya.com.tr', 'typewalk.co', 'vinylshelf.co']],
  ['プログラミング', ['kodo.school']],
  ['台灣茶', ['teahouse.tw']],
  ['حكايات', ['hikayat.net']],
  ['قصص', ['hikayat.net']],
  ['миграции', ['migrato.dev']],
  ['таблица', ['chisla.bg']],
  ['ελληνικα', ['lekton.gr']],
  ['दवा', ['medalarm.in']],
  ['จาก กรุงเทพ', []],
  ['กรุงเทพ', ['bangkokwalks.co']],
  ['fotograf', ['elifkaya.com.tr', 'zidlumen.lv', 'yukitanaka.jp', 'typewalk.co', 'vinylshelf.co']],
  ['steuererklarung', ['steuerkiosk.de']],
  ['trabajos', ['remoto.la', 'fourdayjobs.com', 'tyopolku.fi']],
  ['brädspel', ['tidevarv.games']],
  ['kitaplar', ['kitapkurdu.com.tr']],
  ['livros', ['bibliobus.pt']],
  // Nothing to be found.
  ['cryptocurrency casino', []],
]

function DEVELOPER_TOOLS() {
  return [
    ...['pgpeek.dev', 'tinycron.com', 'hexlantern.io', 'depdiff.dev', 'envelope.run', 'logfern.com'],
    ...['rustigator.rs', 'mockingbird.sh', 'migrato.dev'],
  ]
}
