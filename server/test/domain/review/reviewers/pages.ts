import { readFileSync } from 'node:fs'
import { domainToASCII } from 'node:url'

/** A page of the labelled corpus. */
export interface LabelledPage {
  /** The file that it is in, which is its label. */
  label: string
  language: string
  /** Of ordinary pages. */
  category: string
  /** As the file writes it, and as a URL has it. */
  name: string
  host: string
  title: string
  text: string
  extras: readonly string[]
  html: string
}

/** The kinds of pages that should be refused. Each has a second half, held out while rules are written. */
export const BAD = ['adult', 'phishing', 'scam', 'parked', 'look-alikes'] as const
/** Those that should not. */
export const BENIGN = ['ordinary', 'hard', 'hard-held-out'] as const

/**
 * Reads a file of the corpus. A line is a page: `host | title | text | extras`. `@de` begins pages in a language, and
 * `de: ` before a host is for one page; `= Games` begins a category, `#` a comment. Extras: `pw` is a form that asks for a password, `pw=host` one that sends it there, `link=` and `script=` lead
 * to a host.
 */
export function labelledPages(label: string): LabelledPage[] {
  let [ofFile, category] = ['en', '']
  const pages: LabelledPage[] = []
  for (const line of readFileSync(new URL(`./pages/${label}.txt`, import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('@')) ofFile = line.slice(1).trim()
    if (line.startsWith('=')) category = line.slice(1).trim()
    if (line === '' || '@=#'.includes(line[0] as string)) continue
    const [, ofPage, rest = ''] = /^(?:([a-z]{2}): )?(.*)$/.exec(line) ?? []
    const language = ofPage ?? ofFile
    const [name = '', title = '', text = '', written = ''] = rest.split('|').map(part => part.trim())
    const extras = written.split(' ').filter(Boolean)
    const html = pageOf({ language, title, text, extras })
    pages.push({ label, language, category, name, host: domainToASCII(name), title, text, extras, html })
  }
  return pages
}

interface Words {
  language: string
  title: string
  text: string
  extras: readonly string[]
}

/** A page of these words: the first sentence is its description too. */
export function pageOf({ language, title, text, extras }: Words): string {
  const [first = ''] = text.split(/(?<=[.!?。])\s*/u)
  return [
    `<!doctype html><html lang="${language}"><meta charset=utf-8><title>${escaped(title)}</title>`,
    first && `<meta name=description content="${escaped(first)}">`,
    bodyOf({ title, text, extras }),
  ]
    .filter(Boolean)
    .join('\n')
}

/** What a page shows: all of it, or what a visitor has added. */
export function bodyOf({ title, text, extras }: Omit<Words, 'language'>): string {
  const of = (key: string) => extras.filter(each => each.startsWith(`${key}=`)).map(each => each.slice(key.length + 1))
  return [
    ...of('script').map(host => `<script src="https://${host}/a.js"></script>`),
    text && `${title && `<h1>${escaped(title)}</h1>`}<p>${escaped(text)}</p>`,
    extras.includes('pw') && '<form method=post action=/in><input name=u><input type=password></form>',
    ...of('pw').map(host => `<form method=post action="https://${host}/in"><input type=password></form>`),
    ...of('link').map(host => `<p><a href="https://${host}/">${host}</a></p>`),
  ]
    .filter(Boolean)
    .join('\n')
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
