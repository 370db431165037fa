import { describe, expect, it } from 'vitest'
import type { UnjudgedPage } from '../../../../src/domain/review/page.ts'
import { readPage } from '../../../../src/domain/review/page-parser/read-page.ts'

const UTF8 = { 'content-type': 'text/html; charset=utf-8' }

function read(
  html: string | Uint8Array,
  headers: Record<string, string> = UTF8,
  url = 'https://acme.com/shop/',
): UnjudgedPage {
  const fetched = readPage(Buffer.from(html), new URL(url), headers)
  if (fetched.verdict !== 'pass') throw new Error(`not read: ${JSON.stringify(fetched)}`)
  return fetched.page
}

describe('the metadata', () => {
  it('of a full page', () => {
    const { metadata } = read(`<!doctype html><html lang="en_us"><head>
      <title> Acme &amp; Sons\n &#8211; <b>Widgets</b> </title>
      <meta name="Description" content="We make &quot;widgets&quot;.">
      <meta property="og:title" content="Other title"><meta property="og:site_name" content="Acme">
      <meta property="og:image" content="/img/a.png?x=1">`)
    expect(metadata).toEqual({
      title: 'Acme & Sons – <b>Widgets</b>',
      description: 'We make "widgets".',
      siteName: 'Acme',
      language: 'en-US',
      imageUrl: 'https://acme.com/img/a.png?x=1',
    })
  })

  it('of an empty page', () => {
    expect(read('').metadata).toEqual({
      title: '',
      description: '',
      siteName: '',
      language: '',
      imageUrl: null,
    })
  })

  it.each([
    ['the first title', '<title>One</title><title>Two</title><h1>Three</h1>', 'One'],
    ['the title in the body', '<body><title>One</title>', 'One'],
    [
      'og:title when there is no title',
      '<title> \u200b </title><meta property=og:title content=Two><h1>Three</h1>',
      'Two',
    ],
    ['no title of Braille blanks', '<title>\u2800 \u2800</title><meta property=og:title content=Two>', 'Two'],
    ['no title of marks alone', '<title>\ufe0f \u0301\u20dd</title><h1>Three</h1>', 'Three'],
    ['a title of signs', '<title>!!!</title><meta property=og:title content=Two>', '!!!'],
    ['a title of emoji', '<title>❤\ufe0f</title><meta property=og:title content=Two>', '❤\ufe0f'],
    ['the first heading with words', '<h2> <img></h2><h3>One <em>two</em><br>three</h3><h1>Four</h1>', 'One two three'],
    ['not the title of a drawing', '<svg><title>Icon</title></svg><title>One</title>', 'One'],
    [
      'not what is in a template',
      '<template><title>No</title></template><noscript><title>No</title></noscript><title>One</title>',
      'One',
    ],
    ['at most 200 characters', `<title>${'word '.repeat(100)}</title>`, `${'word '.repeat(39)}word…`],
  ])('takes %s', (_what, html, title) => {
    expect(read(html).metadata.title).toBe(title)
  })

  it.each([
    ['It&amp;#39;s about Caf&amp;eacute;s &amp;amp; more', "It's about Cafés & more"],
    ['Learn &lt;div&gt; and &amp;lt;b&gt;', 'Learn <div> and <b>'],
    ['R&amp;D; Q&amp;A', 'R&D; Q&A'],
    ['높지\ufffd', '높지…'],
  ])('mends a description that its website escaped twice or cut off: %s', (content, description) => {
    expect(read(`<meta name=description content="${content}">`).metadata.description).toBe(description)
  })

  it('takes the first non-empty description, at most 500 characters', () => {
    const html = `<meta name=description content=" "><meta property="og:description" content="${'x'.repeat(600)}">`
    expect(read(html).metadata.description).toBe(`${'x'.repeat(499)}…`)
  })

  it.each([
    ['de', 'de'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-TW', 'zh-Hant-TW'],
    ['', ''],
    ['english, please', ''],
    ['x'.repeat(1000), ''],
  ])('takes the language %s as %s', (lang, language) => {
    expect(read(`<html lang="${lang}">`).metadata.language).toBe(language)
  })

  it.each([
    ['<title>Il Ricettario della Nonna</title><p>Ricette trascritte da quaderni di famiglia.', 'it'],
    ['<title>ことばラボ</title>', 'ja'],
    ['<html lang="??"><title>Kitap Kurdu</title><p>Evindeki kitapları sat, okumadıklarını bul.', 'tr'],
    ['<html lang=sv><title>Il Ricettario della Nonna</title>', 'sv'],
    ['<html lang=english><title>Il Ricettario della Nonna</title><p>Ricette trascritte da quaderni di famiglia.', 'it'],
    ['<html lang=und><title>Il Ricettario della Nonna</title><p>Ricette trascritte da quaderni di famiglia.', 'it'],
    ['<html lang=mul-IT><title>Il Ricettario della Nonna</title><p>Ricette trascritte da quaderni di famiglia.', 'it'],
    ['<title>Roses | Garden | Acme</title><p>We grow roses, and we sell them in our small shop.', 'en'],
    [`<title>Acme</title><p>${'Lorem ipsum dolor sit amet, consetetur sadipscing elitr. '.repeat(5)}`, ''],
    [
      `<title>Acme</title>${'<li>Login'.repeat(250)}<p>${'Wir ziehen Rosen und verkaufen sie im Laden. '.repeat(9)}`,
      'de',
    ],
    ['<title>Loopdesk 2000</title>', ''],
    [`<title>${'x'.repeat(300)}</title>${'&#0;&#xd800; 👋🏽 '.repeat(500)}`, ''],
  ])('takes the language of %.60s, where it declares none, from its words: %s', (html, language) => {
    expect(read(html).metadata.language).toBe(language)
  })

  it.each([
    ['a relative image', 'a.png', 'https://acme.com/shop/a.png'],
    ['an image elsewhere', 'https://cdn.acme.net/a.png', 'https://cdn.acme.net/a.png'],
    ['no data', 'data:image/png;base64,AAAA', null],
    ['no script', 'javascript:alert(1)', null],
    ['no credentials', 'https://user:pass@cdn.acme.net/a.png', null],
    ['no address inside a network', 'http://192.168.1.1/reboot', null],
    ['no other port', 'https://cdn.acme.net:8443/a.png', null],
    ['nothing that is too long', `https://cdn.acme.net/${'a'.repeat(3000)}`, null],
    ['nothing broken', 'http://[', null],
    ['nothing that cannot be written', 'http://\u00fcxn--.com/', null],
  ])('takes %s as image', (_what, content, imageUrl) => {
    expect(read(`<meta property="og:image" content="${content}">`).metadata.imageUrl).toBe(imageUrl)
  })

  it.each([
    ['og:image', 'og:image:secure_url', 'http://localhost:3000/og.png'],
    ['og:image', 'twitter:image', 'data:image/png;base64,AAAA'],
    ['og:title', 'twitter:image', 'Acme'],
  ])('takes the next name of a picture if %s has no address that it can fetch', (first, next, content) => {
    const page = read(
      `<meta property="${first}" content="${content}"><meta property="${next}" content="https://acme.com/a.png">`,
    )
    expect(page.metadata.imageUrl).toBe('https://acme.com/a.png')
  })

  it('ignores the page’s claims about its own address', () => {
    const page = read(
      '<link rel=canonical href="https://bank.com/"><meta property="og:url" content="https://bank.com/">',
    )
    expect(page.url).toBe('https://acme.com/shop/')
  })
})

describe('the verifications', () => {
  const META = '<meta name="placard-challenge" content="T">'

  it.each([
    ['in the head', `<!doctype html><html><head><title>A</title>${META}</head><body>`],
    ['in a head without tags', `<title>A</title><script>if (1 < 2) {}</script>${META}<p>Hello`],
    ['in capitals', '<HEAD><META NAME=" Placard-Challenge " CONTENT="T"></HEAD>'],
    ['after other metas', `<meta charset=utf-8><link rel=icon href=a><base href=/>${META}`],
    ['after what only old browsers read', `<head><noscript><img src=a><p>Hi</noscript>${META}`],
    ['after a template', `<head><template><div>Hi</div></template><style>p { }</style>${META}`],
    ['after comments', `<!-- <body> --><head><!-- hello -->\n${META}`],
  ])('are read %s', (_where, html) => {
    expect(read(html).verifications).toEqual(['T'])
  })

  it.each([
    ['in the body', `<head></head><body>${META}`],
    ['in the body without tags', `<title>A</title><p>Hello ${META}`],
    ['after the head', `<head></head>${META}<body>`],
    ['after words in the head', `<head>Hello ${META}</head>`],
    ['after a no-break space', `<head>&nbsp;${META}</head>`],
    ['after the page', `<html></html>${META}`],
    ['after an element that cannot be in a head', `<head><div></div>${META}</head>`],
    ['in a second head', `<head></head><body></body><head>${META}</head>`],
    ['in a drawing', `<head><svg>${META}</svg></head>`],
    ['in a comment', `<head><!-- ${META} --></head>`],
    ['in CDATA', `<head><![CDATA[${META}]]></head>`],
    ['in a conditional comment', `<head><!--[if IE]>${META}<![endif]--></head>`],
    ['in a script', `<head><script>document.write('${META}')</script></head>`],
    ['in a style', `<head><style>${META}</style></head>`],
    ['in the title', `<head><title>${META}</title></head>`],
    ['in a title that never ends', `<head><title>${META}`],
    ['in noscript', `<head><noscript>${META}</noscript></head>`],
    ['in noframes', `<head><noframes>${META}</noframes></head>`],
    ['in a template', `<head><template>${META}</template></head>`],
    ['in a template inside a template', `<head><template><template></template>${META}</template></head>`],
    ['in an attribute', `<head><meta name=description content='${META}'></head>`],
    ['under another name', '<head><meta name="placard-challenge2" content="T"></head>'],
    ['as a property', '<head><meta property="placard-challenge" content="T"></head>'],
    ['without content', '<head><meta name="placard-challenge"></head>'],
    ['as escaped text', '<head>&lt;meta name="placard-challenge" content="T"&gt;</head>'],
  ])('are not read %s', (_where, html) => {
    expect(read(html).verifications).toEqual([])
  })

  it('are read in XHTML too, and not from its CDATA', () => {
    const xhtml = { 'content-type': 'application/xhtml+xml' }
    expect(read(`<html><head><title/>${META.replace('>', '/>')}</head></html>`, xhtml).verifications).toEqual(['T'])
    expect(read(`<html><head><title/><![CDATA[${META}]]></head></html>`, xhtml).verifications).toEqual([])
  })

  it('are at most 20 of 200 characters', () => {
    const metas = Array.from({ length: 30 }, (_, n) => META.replace('T', `${n} ${'x'.repeat(300)}`))
    const { verifications } = read(metas.join(''))
    expect(verifications).toHaveLength(20)
    expect(verifications.every(content => content.length === 200)).toBe(true)
  })
})

describe('the text', () => {
  it.each([
    ['keeps words of one line together', 'wid<b>get</b>s<wbr>!', 'widgets!'],
    ['keeps words of different lines apart', '<p>One</p><p>two<br>three<li>four<td>five', 'One two three four five'],
    ['decodes entities once', '&lt;p&gt; &amp;amp; &eacute;&#x41;', '<p> &amp; éA'],
    [
      'leaves out what is not text',
      'a<script>no</script><style>no</style><template>no</template><noscript>no</noscript>b',
      'a b',
    ],
    ['leaves out what is for other browsers', 'a<iframe>no</iframe><object>no</object><video>no</video>b', 'a b'],
    [
      'keeps what a browser shows for a template',
      '<a-b><template shadowrootmode=open>a<style>no</style></template>b',
      'a b',
    ],
    ['leaves out a template of another mode', 'a<div><template shadowrootmode=no>no</template></div>', 'a'],
    ['leaves out head and title', '<head><title>no</title></head><body>yes', 'yes'],
    ['leaves out what is hidden', '<div hidden>no<p>no</p></div>yes', 'yes'],
    ['leaves out comments', 'a<!-- no -->b<!no>c<?no?>d', 'abcd'],
    ['keeps what is in fields and drawings', '<textarea>One</textarea><svg><text>two</text></svg>', 'One two'],
  ])('%s', (_what, html, text) => {
    expect(read(html).text).toBe(text)
  })

  it('has at most 20,000 characters', () => {
    expect(read('word '.repeat(10_000)).text).toHaveLength(19_999)
  })
})

describe('the encoding', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  it.each<[string, Uint8Array, string, string]>([
    ['a byte order mark before all', Buffer.from('\ufeff<title>é', 'utf8'), 'text/html; charset=iso-8859-1', 'é'],
    ['UTF-16 by its mark', Buffer.from('\ufeff<title>é', 'utf16le'), 'text/html', 'é'],
    ['the header before the page', bytes('<meta charset=utf-8><title>\xe4'), 'text/html;charset="windows-1251"', 'д'],
    ['that of two equal types', bytes('<title>\xe4'), 'text/html; charset=windows-1251, text/html', 'д'],
    ['that of the last type', bytes('<title>\xe4'), 'text/html; charset=koi8-r, text/html; charset=windows-1251', 'д'],
    ['not that of another type', bytes('<title>\xe4'), 'text/plain; charset=windows-1251, text/html', 'ä'],
    ['what the page says', bytes('<meta charset=koi8-r><title>\xc4'), 'text/html', 'д'],
    [
      'what the page says in the old way',
      bytes('<meta http-equiv=content-type content="text/html; charset=Shift_JIS"><title>\x83\x65'),
      'text/html',
      'テ',
    ],
    [
      'what the page says after an unknown header',
      bytes('<meta charset=koi8-r><title>\xc4'),
      'text/html; charset=nonsense',
      'д',
    ],
    ['declared late', bytes(`<script>${' '.repeat(5000)}</script><meta charset=koi8-r><title>\xc4`), 'text/html', 'д'],
    ['not declared in a comment', bytes('<!-- <meta charset=koi8-r> --><title>\xc4'), 'text/html', 'Ä'],
    [
      'not what a script writes into another page',
      Buffer.from(`<title>é</title>${' '.repeat(1100)}<script>open().document.write('<meta charset=gbk>')</script>`),
      'text/html',
      'é',
    ],
    ['UTF-8 without a word', Buffer.from('<title>é“Д'), 'text/html', 'é“Д'],
    ['windows-1252 without a word', bytes('<title>\x93\xe9\x94 \x80'), 'text/html', '“é” €'],
    ['windows-1252 where Latin-1 is said', bytes('<title>\x96'), 'text/html; charset=iso-8859-1', '–'],
    ['UTF-8 in XHTML without a word', Buffer.from('<title>é'), 'application/xhtml+xml', 'é'],
  ])('is %s', (_what, body, type, title) => {
    expect(read(body, { 'content-type': type }).metadata.title).toBe(title)
  })

  it('may be broken without harm', () => {
    expect(read(Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80])).text).toContain('\ufffd')
  })

  it('in XHTML lets elements end themselves', () => {
    const html = '<html xml:lang="fr"><head><script src="a.js"/><title>Acme</title></head><body>yes</body></html>'
    const page = read(html, { 'content-type': 'application/xhtml+xml' })
    expect(page).toMatchObject({ text: 'yes', metadata: { title: 'Acme', language: 'fr' } })
  })
})

describe('scripts', () => {
  it.each([
    '<script>x</script>',
    '<script src=a.js>',
    '<script type=module>',
    '<script type="text/javascript; charset=utf-8">',
  ])('are seen in %s', html => expect(read(html).hasScript).toBe(true))
  it.each(['', '<script type="application/ld+json">{}</script>', '<template><script></script></template>'])(
    'are not in %s',
    html => expect(read(html).hasScript).toBe(false),
  )
})

describe('a refresh', () => {
  const refresh = (content: string) => read(`<meta http-equiv=Refresh content="${content}">`).refreshTo
  it.each([
    ['0;url=https://other.com/', 'https://other.com/'],
    ['5; URL = /next', 'https://acme.com/next'],
    ["0;url='a b'", 'https://acme.com/shop/a%20b'],
    ['0, //other.com', 'https://other.com/'],
    ['0 other', 'https://acme.com/shop/other'],
    ['.5;url=x', 'https://acme.com/shop/x'],
    ['0', null],
    ['300;', null],
    ['url=/next', null],
    ['0;url=javascript:alert(1)', null],
    ['0;url=http://[', null],
  ])('of "%s" leads to %s', (content, target) => {
    expect(refresh(content)).toBe(target)
  })

  it('that browsers ignore hides no other', () => {
    const next = '<meta http-equiv=refresh content="0;url=//other.com">'
    expect(read(`<meta http-equiv=refresh content="soon">${next}`).refreshTo).toBe('https://other.com/')
    expect(read(next, { ...UTF8, refresh: 'soon' }).refreshTo).toBe('https://other.com/')
    expect(read(`<svg><p>${next}`).refreshTo).toBe('https://other.com/')
    // Only the first one that browsers obey.
    expect(read(`<meta http-equiv=refresh content="300">${next}`).refreshTo).toBeNull()
  })

  it('in a header counts too, for people without scripts it does not', () => {
    expect(read('', { ...UTF8, refresh: '0;url=/next' }).refreshTo).toBe('https://acme.com/next')
    expect(read('<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript>').refreshTo).toBeNull()
    expect(read('<meta name=refresh content="0;url=/next">').refreshTo).toBeNull()
  })
})

describe('forms that ask for a password', () => {
  const actions = (html: string) => read(html).passwordForms.map(({ action }) => action)
  const FIELD = '<input type=PassWord>'
  it.each([
    ['post where their action says', `<form action=/login>${FIELD}</form>`, ['https://acme.com/login']],
    ['post elsewhere', `<form action=//evil.com/x>${FIELD}</form>`, ['https://evil.com/x']],
    ['post to the page without an action', `<base href=//evil.com><form>${FIELD}</form>`, ['https://acme.com/shop/']],
    ['post relative to the base', `<form action=x>${FIELD}</form><base href=//evil.com/a/>`, ['https://evil.com/a/x']],
    [
      'post where their buttons say',
      `<form>${FIELD}<button formaction=//evil.com/>`,
      ['https://acme.com/shop/', 'https://evil.com/'],
    ],
    [
      'count where a browser shows a template',
      '<div><template shadowrootmode=closed><form action=//evil.com><input type=password></form></template></div>',
      ['https://evil.com/'],
    ],
    ['reach fields by id', `<input type=password form=f><form id=f action=//evil.com/></form>`, ['https://evil.com/']],
    [
      'reach buttons by id',
      `<form id=f>${FIELD}</form><button form=f formaction=//evil.com/>`,
      ['https://acme.com/shop/', 'https://evil.com/'],
    ],
    ['reach past wrongly nested elements', `<div><form action=//evil.com/></div>${FIELD}`, ['https://evil.com/']],
    ['do not nest', `<form action=//evil.com/><form action=/ok>${FIELD}</form>`, ['https://evil.com/']],
    ['may post nowhere', `<form action="javascript:void 0">${FIELD}</form><form action="http://[">${FIELD}</form>`, []],
    ['are found in a drawing', `<svg><foreignObject><form action=//evil.com/>${FIELD}</form>`, ['https://evil.com/']],
    ['are found after a drawing without end', `<svg><p><form action=//evil.com/>${FIELD}`, ['https://evil.com/']],
    ['are not other forms', '<form action=//evil.com/><input type=text></form>', []],
    ['are not fields alone', FIELD, []],
    ['are not in templates', `<template><form action=//evil.com/>${FIELD}</form></template>`, []],
  ])('%s', (_what, html, expected) => {
    expect(actions(html)).toEqual(expected)
  })
})

describe('the linked hosts', () => {
  it('are those that scripts, frames, images and links name, once each', () => {
    const html = `<script src="https://CDN.acme.net/a.js"></script><iframe src=//frames.com/x></iframe><img src=/own.png>
      <a href="http://links.org/?a:b">x</a><a href=https://links.org>y</a><a href=mailto:a@mail.com>z</a><a href=#x:y>n</a>
      <link rel=stylesheet href=https://fonts.com/a.css><img src="data:image/png,//no.com"><a href="ht\ntp://tabs.com">t</a>
      <a href=\\\\slashes.com>s</a><a href="javascript:'//no.com'">j</a><object data=//objects.com></object>`
    expect(read(html).linkedHosts).toEqual([
      'cdn.acme.net',
      'frames.com',
      'links.org',
      'acme.com',
      'fonts.com',
      'tabs.com',
      'slashes.com',
      'objects.com',
    ])
  })

  it('are 500 at most', () => {
    const html = Array.from({ length: 2000 }, (_, n) => `<a href=//h${n}.com>`).join('')
    expect(read(html).linkedHosts).toHaveLength(500)
  })
})

describe('adult labels', () => {
  it('are read from every rating in the page', () => {
    expect(
      read('<meta name=RATING content=" Adult "><meta name=rating content=RTA-5042-1996-1400-1577-RTA>').ratings,
    ).toEqual(['adult', 'rta-5042-1996-1400-1577-rta'])
  })
})

describe('a hostile page', () => {
  const MIB = 1024 * 1024
  const fill = (piece: string) => piece.repeat(Math.ceil(MIB / piece.length)).slice(0, MIB)
  const attributes = Array.from({ length: 150_000 }, (_, n) => `a${n}`)
    .join(' ')
    .slice(0, MIB - 10)
  it.each<[string, string]>([
    [
      'elements named like object properties',
      '<constructor a=b __proto__=c><__proto__><tostring hasownproperty=x><p>words',
    ],
    ['a million characters', fill('x')],
    ['a million spaces', `<title>${fill(' ')}`],
    ['paragraphs without end tags', fill('<p>')],
    ['end tags alone', `${'<div>'.repeat(250)}${fill('</x>')}`],
    ['150,000 attributes', `<a ${attributes}>`],
    ['links', fill('<a href=//a.b/>')],
    ['forms', fill('<form id=a><input type=password form=b></form>')],
    ['entities', fill('&amp;&#0;&#xd800;&nosuch;')],
    ['broken tags', fill('<a b="')],
    ['marks without letters', fill('\u0301\u0323')],
    ['emoji joined for ever', `<title>${fill('\u{1f469}\u200d')}`],
    ['a refresh of digits', `<meta http-equiv=refresh content="${fill('1')}">`],
    ['an open comment', `<!--${fill('-')}`],
    ['table rows', fill('<tr><td>')],
    // Work that grew with the square of a million would take hours.
  ])('of %s is read', (_what, html) => {
    expect(readPage(Buffer.from(html), new URL('https://acme.com/'), UTF8).verdict).toBe('pass')
  })

  it.each(['<div>', '<b>', '<svg>', '<x-y><a>', '<ul><li>'])('that nests %s without end is too large', piece => {
    const fetched = readPage(Buffer.from(fill(piece)), new URL('https://acme.com/'), UTF8)
    expect(fetched).toEqual({ verdict: 'reject', reason: 'too_large' })
  })
})
