import { paidWords, type Site } from '../../../platform/config/site.ts'
import type { Links } from '../../../platform/http/links.ts'
import { escaped } from '../../../platform/lib/text.ts'

/** The content of a mail: all text is plain, and every address is ours. */
export interface Letter {
  subject: string
  heading: string
  /** Whether it is about paid places, which must be labelled as paid. */
  isPaid?: boolean
  lines: readonly string[]
  /** A label, a text, and a note that matters less. */
  rows?: readonly (readonly [string, string, string])[]
  button?: { label: string; href: string }
  /** What follows the button. */
  after?: readonly string[]
  /** Why it was sent. */
  why: string
}

/**
 * Returns a mail as plain text and as HTML, with the same words.
 *
 * @param off the address that ends these mails; undefined in the last one
 */
export const bodiesOf = (letter: Letter, links: Links, off: string | undefined) => ({
  text: asText(letter, links, off),
  html: asHtml(letter, links, off),
})

function asText({ heading, isPaid, lines, rows = [], button, after = [], why }: Letter, links: Links, off?: string) {
  const { site } = links
  const [labels, texts] = [0, 1].map(column => Math.max(0, ...rows.map(row => row[column as 0 | 1].length)))
  const table = rows.map(([label, text, note]) =>
    `  ${label.padEnd(labels ?? 0)}  ${text.padEnd(texts ?? 0)}  ${note}`.trimEnd(),
  )
  return [
    heading,
    ...(isPaid ? [`${paidWords(site).sentence}.`] : []),
    ...lines,
    ...(table.length > 0 ? [table.join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.href}`] : []),
    ...after,
    // Mail programs recognise the line before a signature by its space.
    `-- \n${why}\n${off ? `Turn off mail: ${off}\n` : ''}${site.name}, ${links.base}${playNotice(site)}`,
  ].join('\n\n')
}

/** Ends every mail of a site with play money, as on its pages. */
const playNotice = ({ isMoneyPlay }: Site) => (isMoneyPlay ? '. It uses play money, and no one is charged.' : '')

const TEXT = "Archivo,'Helvetica Neue',Arial,sans-serif"
const HEAD = `font-family:Archivo,'Arial Narrow','Helvetica Neue',Arial,sans-serif;font-stretch:condensed;font-weight:800`
/** The colours of the site's style sheet, which a mail can't load. Its main action is the same in both themes. */
const LIGHT = { paper: '#faf8f2', sheet: '#ffffff', ink: '#16181a', soft: '#5c5f5a', hair: '#d8d3c5', cash: '#c2331a' }
const DARK = { paper: '#0f1211', sheet: '#181c1a', ink: '#f1eee4', soft: '#a6a79e', hair: '#343a36', cash: '#ff7a59' }
const BUTTON = 'background:#f1532f;color:#16181a'

/** Everything is inline, because many mail programs drop style sheets. The one here only adds the dark theme. */
function asHtml(
  { subject, heading, isPaid, lines, rows = [], button, after = [], why }: Letter,
  links: Links,
  off?: string,
) {
  const { site, base } = links
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${marked(text, base)}</p>\n`
  const cell = `class="hair" style="padding:10px 12px 10px 0;border-bottom:1px solid ${LIGHT.hair};text-align:left`
  const row = ([label, text, note]: readonly [string, string, string]) => `<tr>
<th scope="row" ${cell};${HEAD};font-size:17px;white-space:nowrap">${escaped(label)}</th>
<td ${cell};overflow-wrap:normal">${escaped(text)}</td>
<td class="hair soft" style="padding:10px 0;border-bottom:1px solid ${LIGHT.hair};text-align:right;color:${LIGHT.soft}">${marked(note, base)}</td>
</tr>
`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>
:root { color-scheme: light dark }
@media (prefers-color-scheme: dark) {
.paper { background: ${DARK.paper} !important }
.sheet { background: ${DARK.sheet} !important; color: ${DARK.ink} !important; border-color: ${site.accent.dark.onPage} !important }
.site { color: ${site.accent.dark.onPage} !important }
.soft { color: ${DARK.soft} !important }
.hair { border-color: ${DARK.hair} !important }
.paid { color: ${DARK.cash} !important; border-color: ${DARK.cash} !important }
}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${LIGHT.paper}">
<div class="paper" style="background:${LIGHT.paper};padding:24px 12px">
<div class="sheet" style="max-width:560px;margin:0 auto;background:${LIGHT.sheet};color:${LIGHT.ink};border-top:6px solid ${site.accent.light.board};padding:28px 28px 20px;font:16px/1.5 ${TEXT};overflow-wrap:anywhere">
<p class="site" style="margin:0 0 20px;color:${site.accent.light.onPage};${HEAD};font-weight:900;font-size:22px;line-height:1;text-transform:uppercase">${escaped(site.name)}</p>
<h1 style="margin:0 0 16px;${HEAD};font-size:29px;line-height:1.12">${escaped(heading)}</h1>
${
  isPaid
    ? `<p style="margin:0 0 16px"><span class="paid" style="border:1px solid ${LIGHT.cash};padding:2px 6px;font-size:13px;font-weight:700;color:${LIGHT.cash}">${paidWords(site).sentence}</span></p>\n`
    : ''
}${lines.map(paragraph).join('')}${
  rows.length > 0
    ? `<table style="width:100%;border-collapse:collapse;margin:0 0 20px;font-size:15px;line-height:1.35">\n${rows.map(row).join('')}</table>\n`
    : ''
}${
  button
    ? `<p style="margin:4px 0 20px"><a href="${escaped(button.href)}" style="display:inline-block;${BUTTON};padding:13px 20px;font-weight:700;text-decoration:none">${escaped(button.label)}</a></p>\n`
    : ''
}${after.map(paragraph).join('')}<p class="soft hair" style="margin:24px 0 0;border-top:1px solid ${LIGHT.hair};padding-top:14px;color:${LIGHT.soft};font-size:13px;line-height:1.5">${escaped(why)}${
    off ? `\n<a class="soft" href="${escaped(off)}" style="color:${LIGHT.soft}">Turn off mail</a>.` : ''
  }<br>
<a class="soft" href="${escaped(base)}" style="color:${LIGHT.soft}">${escaped(site.name)}</a>, ${escaped(base)}${playNotice(site)}</p>
</div>
</div>
</body>
</html>
`
}

/** Text as HTML: addresses of this site are links, and a title in quotation marks keeps its own direction. */
const marked = (text: string, base: string): string =>
  escaped(text)
    .split(' ')
    .map(word => {
      if (!word.startsWith(`${base}/`)) return word
      const address = word.replace(/[.,]$/, '')
      return `<a href="${address}" style="color:inherit">${address}</a>${word.slice(address.length)}`
    })
    .join(' ')
    .replace(/“[^“”]*”/g, '<bdi>$&</bdi>')
