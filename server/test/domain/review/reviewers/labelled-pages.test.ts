import { CATEGORIES } from '@placard/contract'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { readPage } from '../../../../src/domain/review/page-parser/read-page.ts'
import { LookAlikes } from '../../../../src/domain/review/reviewers/look-alikes.ts'
import { judge, pageRules } from '../../../../src/domain/review/reviewers/page-rules.ts'
import { phrases } from '../../../../src/domain/review/reviewers/phrases.ts'
import { Reviewers } from '../../../../src/domain/review/reviewers/reviewers.ts'
import { BAD, BENIGN, type LabelledPage, labelledPages, pageOf } from './pages.ts'
import { pairs } from './pairs.ts'

const embedded = new Reviewers(
  [pageRules, new LookAlikes(['acme-bank.com', 'müller.de']), phrases].map(reviewer => ({
    reviewer,
    decides: true,
  })),
)

async function review({ host, html }: Pick<LabelledPage, 'host' | 'html'>) {
  const url = new URL(`https://${host}/`)
  const read = readPage(Buffer.from(html), url, { 'content-type': 'text/html; charset=utf-8' })
  if (read.verdict !== 'pass') throw new Error('the page must be readable')
  return embedded.review({ ...read.page, judged: judge(read.page) }, parseDestination(url.href))
}

describe('the labelled pages', () => {
  it('are as many as they should be, and none twice', () => {
    const ordinary = labelledPages('ordinary')
    expect(ordinary.length).toBeGreaterThanOrEqual(300)
    expect(new Set(ordinary.map(({ category }) => category))).toEqual(new Set<string>(CATEGORIES))
    expect(new Set(ordinary.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10)
    expect(labelledPages('hard').length + labelledPages('hard-held-out').length).toBeGreaterThanOrEqual(120)
    for (const kind of BAD) {
      expect([kind, labelledPages(kind).length + labelledPages(`${kind}-held-out`).length]).toEqual([kind, 120])
    }
    const all = [...BENIGN, ...BAD, ...BAD.map(kind => `${kind}-held-out`)].flatMap(labelledPages)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })

  it('come with pairs of a website before and after', () => {
    const kinds = Object.entries(Object.groupBy(pairs(), ({ kind }) => kind))
    expect(Object.fromEntries(kinds.map(([kind, all]) => [kind, all.length]))).toEqual({
      takeover: 40,
      rebrand: 20,
      redesign: 20,
      outage: 20,
    })
    expect(pairs().filter(({ before, after }) => JSON.stringify(before) === JSON.stringify(after))).toEqual([])
  })

  it.each(BENIGN)('are none of them refused: %s', async label => {
    const refused: string[] = []
    for (const page of labelledPages(label)) {
      if ((await review(page)).verdict !== 'pass') refused.push(page.name)
    }
    expect(refused).toEqual([])
  })
})

it.each(['\u200c', '\u200d', '\ufe0e', '\ufe0f', '\ufff9'])('no word is hidden by %j', async invisible => {
  for (const page of BAD.flatMap(labelledPages)) {
    const html = page.html.replace(/>[^<&]+/g, text => text.replace(/(?<=[a-z])(?=[a-z])/g, invisible))
    const { verdict } = await review(page)
    expect([page.name, (await review({ ...page, html })).verdict]).toEqual([page.name, verdict])
  }
})

it.each([0xff41, 0x1d41a, 0x1d5ba, 0x24d0])('no word is hidden in the letters from %i on', async first => {
  const asOthers = (text: string) =>
    text.replace(/[a-z]/gi, letter => String.fromCodePoint(first + (letter.toLowerCase().charCodeAt(0) - 97)))
  for (const page of ['adult', 'scam'].flatMap(labelledPages)) {
    const html = page.html.replace(/>[^<&]+/g, asOthers)
    const { verdict } = await review(page)
    expect([page.name, (await review({ ...page, html })).verdict]).toEqual([page.name, verdict])
  }
})

describe('a look-alike', () => {
  const verdictOn = async (host: string, title: string, extras: string[] = []) => {
    const html = pageOf({ language: 'en', title, text: 'Some words.', extras })
    const { verdicts } = await review({ host, html })
    const { outcome, reason } = verdicts.find(({ reviewer }) => reviewer === 'look-alikes') ?? {}
    return [outcome, reason].filter(Boolean).join(' ')
  }

  it.each([
    ['xn--80ak6aa92e.com', 'Apple', [], 'reject policy'],
    ['xn--80ak6aa92e.com', 'Fruit', [], 'flag policy'],
    ['xn--80ak6aa92e.com', 'Fruit', ['pw'], 'reject malicious'],
    ['xn--pple-43d.com', 'Fruit', [], 'reject policy'],
    ['paypa1.com', 'PayPal', [], 'reject policy'],
    ['paypa1.com', 'Notes', ['pw'], 'flag policy'],
    ['rnicrosoft.com', 'Microsoft account', ['pw'], 'reject malicious'],
    ['paypal.com.evil.net', 'PayPal', [], 'reject policy'],
    ['paypal-login.com', 'PayPal', ['pw'], 'reject malicious'],
    ['paypal-login.com', 'PayPal', [], 'flag policy'],
    ['bankofarnerica.com', 'Welcome to Bank of America', [], 'reject policy'],
    ['acrne-bank.com', 'Acme Bank', [], 'reject policy'],
    ['paypal.github.io', 'PayPal', ['pw'], 'reject malicious'],
    ['paypal.github.io', 'PayPal', [], 'pass'],
    // With a Cyrillic letter in the title.
    ['paypal.github.io', 'P\u0430yPal', ['pw'], 'reject malicious'],
    ['paypa1.com', 'P\u0430yPal', ['pw'], 'reject malicious'],
    ['bankofarnerica.com', 'B\u0430nk of America', [], 'reject policy'],
    ['paypal.github.io', 'P\u0430yments', ['pw'], 'pass'],
    ['paypal.github.io', 'Our notes', ['pw'], 'pass'],
    ['apple.com', 'Apple', ['pw'], 'pass'],
    ['apple.co.uk', 'Apple', [], 'pass'],
    ['apple-orchard.com', 'Apple orchard', [], 'pass'],
    ['booking-portal.com', 'Booking portal', ['pw'], 'pass'],
    ['bookings.com', 'Booking', ['pw'], 'pass'],
    ['acme.com', 'PayPal', ['pw'], 'reject malicious'],
    ['acme.com', '\u0420ayPal', ['pw'], 'reject malicious'],
    ['acme.com', 'PayPal', [], 'pass'],
    ['acme.com', 'Log in to your Dropbox account', ['pw'], 'reject malicious'],
    ['acme.com', 'Sign in to LinkedIn · LinkedIn', ['pw'], 'reject malicious'],
    ['acme.com', 'Login - Acme Bank', ['pw'], 'reject malicious'],
    ['acme.com', 'Discord', ['pw'], 'flag policy'],
    ['git.acme.com', 'Sign in · GitLab', ['pw'], 'flag policy'],
    ['gitlab.acme.org', 'Sign in · GitLab', ['pw'], 'pass'],
    ['acme.com', 'Log in with Facebook', ['pw'], 'pass'],
    ['acme.com', 'How to sign in to Facebook', ['pw'], 'pass'],
    ['acme.com', 'Facebook | Tech news', ['pw'], 'pass'],
    ['acme.com', 'Log in', ['pw'], 'pass'],
    ['cash.app', 'Cash App', ['pw'], 'flag policy'],
    ['thetelegram.com', 'The Telegram', ['pw'], 'flag policy'],
    ['myfacebook.com', 'Facebook', ['pw'], 'flag policy'],
    ['facebook.org', 'Facebook', ['pw'], 'pass'],
    ['meine.deutsche-bank.de', 'Deutsche Bank', ['pw'], 'pass'],
    ['credit-agricole.fr', 'Crédit Agricole', ['pw'], 'pass'],
    // Honest words that look like a name, but whose letters readers can tell apart.
    ['appie.nl', 'Appie', [], 'flag policy'],
    ['appie.nl', 'APPIE', [], 'reject policy'],
    ['appie.nl', 'Apple', [], 'reject policy'],
    ['paypai.com', 'PayPaI', [], 'reject policy'],
    ['lmgur.com', 'lmgur', [], 'reject policy'],
    ['lnstagram.com', 'Instagram', [], 'reject policy'],
    ['rnicrosoft.com', 'rnicrosoft', [], 'reject policy'],
    ['paypa1.com', 'Paypa1', [], 'reject policy'],
    ['xn--80ak6aa92e.com', 'аррӏе', [], 'reject policy'],
    ['xn--pple-koa.se', 'Äpple', [], 'flag policy'],
    ['xn--pple-koa.se', 'Apple', [], 'reject policy'],
    ['xn--pple-koa.se', 'Äpple', ['pw'], 'reject malicious'],
    ['xn--mdium-bsa.fr', 'Médium', [], 'pass'],
    ['xn--mdium-bsa.fr', 'Medium', ['pw'], 'flag policy'],
    // Software that others run, and those who look after it.
    ['gitlab.cs.acme.org', 'Sign in · GitLab', ['pw'], 'flag policy'],
    ['wordpress-support.org', 'WordPress support', ['pw'], 'flag policy'],
    ['gltlab.com', 'GitLab', ['pw'], 'reject malicious'],
    ['xn--bcher-kva.com', 'Bücher', [], 'pass'],
    ['xn--mller-kva.de', 'Müller', [], 'pass'],
    ['xn--80aswg.xn--p1ai', 'Сайт', [], 'pass'],
  ])('%s, titled %s %j: %s', async (host, title, extras, expected) => {
    expect(await verdictOn(host, title, extras)).toBe(expected)
  })

  it('is also a page that gives its site such a name, whatever its title is', async () => {
    const html = pageOf({ language: 'en', title: 'Dive into anything', text: 'Some words.', extras: ['pw'] })
    const named = html.replace('</title>', '</title><meta property="og:site_name" content="reddit">')
    const { verdicts } = await review({ host: 'acme.com', html: named })
    expect(verdicts).toContainEqual({
      reviewer: 'look-alikes',
      version: expect.any(String),
      outcome: 'reject',
      reason: 'malicious',
      evidence: { host: 'acme.com', like: 'reddit', manner: 'page', asksPassword: true },
    })
  })

  it.each('inkedin ilnkedin xinkedin xlinkedin lnkedin linkxedin linkedi linkedni linkedix linkedinx'.split(' '))(
    'with one typo is found wherever the typo is: %s',
    async word => {
      expect(await verdictOn(`${word}.com`, 'LinkedIn profiles', ['pw'])).toBe('reject malicious')
      expect(await verdictOn(`x${word}x.com`, 'LinkedIn profiles', ['pw'])).toBe('pass')
    },
  )
})

describe('phrases', () => {
  const verdictOn = async (text: string) => {
    const html = pageOf({ language: 'en', title: 'Acme', text, extras: [] })
    const { verdicts } = await review({ host: 'acme.com', html })
    return verdicts.find(({ reviewer }) => reviewer === 'phrases')
  }

  const SPAM = 'Free porn, hd porn, porn videos and sex cams.'

  it('refuse with four decisive ones, and say which', async () => {
    expect(await verdictOn(SPAM)).toMatchObject({
      outcome: 'reject',
      reason: 'adult_content',
      evidence: { kind: 'adult', phrases: expect.arrayContaining(['free porn', 'sex cams']) },
    })
  })

  it('flag with two, and with any number beside a sobering one', async () => {
    expect(await verdictOn('Free porn and sex cams.')).toMatchObject({ outcome: 'flag' })
    expect(await verdictOn(`${SPAM} How to recognise such pages.`)).toMatchObject({
      outcome: 'flag',
      evidence: { sobering: ['how to recognise'] },
    })
  })

  it.each([
    'Reading glasses without prescription. No rx needed, no prescription, and you can order without a doctor.',
    'Stamp your recovery phrase into steel. Your seed phrase survives fire: a 12 word recovery phrase, or your 24 words. Keep your secret phrase offline.',
    'Press Windows and R, or press Windows R, and run setup.exe. In Excel, enable macros: click Enable content.',
    'Save your email password, your mail password, card number and CVV, or PIN and CVV, in an encrypted vault.',
    'Claim your tax refund with us. Claim your refund now: verify your account, and confirm your bank details.',
    'We never buy followers, buy likes or buy Instagram followers, and run no SMM panel.',
  ])('only flag what says one thing in several ways: %s', async text => {
    expect(await verdictOn(text)).toMatchObject({ outcome: 'flag' })
  })

  it('only flag a page whose visitors wrote them', async () => {
    const text = `${'We grow roses. '.repeat(70)} The comments of our readers: ${SPAM}`
    expect(await verdictOn(text)).toMatchObject({ outcome: 'flag' })
  })

  it('pass with one, however often, and with parts of words', async () => {
    expect(await verdictOn('Free porn, free porn, free porn, free porn.')).toMatchObject({ outcome: 'pass' })
    expect(await verdictOn('Carefree pornography, Scunthorpe, sexcamsome.')).toMatchObject({
      outcome: 'pass',
    })
  })
})
