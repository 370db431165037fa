/** The largest page in bytes. */
const PAGE_MAX_BYTES = 1024 * 1024

const filled = (head: string, unit: string) => {
  const times = Math.floor((PAGE_MAX_BYTES - head.length) / unit.length)
  return head + unit.repeat(times)
}
const numbered = (head: string, unit: (n: number) => string) => {
  let page = head
  for (let n = 0; page.length < PAGE_MAX_BYTES - 100; n++) page += unit(n)
  return page
}

/** Pages of 1 MiB that are slowest to read, each in its own way. */
export const HOSTILE_PAGES: Readonly<Record<string, string>> = {
  // A careless pattern takes the square of this.
  blanks: `<title>A</title><script type="text/javascript;${' '.repeat(1_000_000)}\nx">`,
  deep: filled('<title>A</title>', '<a>'.repeat(200) + '</a>'.repeat(200)),
  drawings: filled('<title>A</title>', '<svg><a></svg>'),
  titles: filled('', '<title>a</title>'),
  paragraphs: filled('<title>A</title>', '<p>a'),
  links: numbered('<title>A</title>', n => `<a href="//h${n}.com">`),
  forms: numbered('<title>A</title>', n => `<form id=f${n} action=//h${n}.com><input type=password></form>`),
  attributes: numbered('<title>A</title><a ', n => `a${n} `),
}

/** A typical page: 30 KB, with a head, links and words. */
export const ORDINARY_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Juniper Lane Bakery</title>
<meta name="description" content="Sourdough, seeded rye and cardamom buns."><script src="/app.js"></script></head><body>
<h1>Bread</h1>${'<p class="text">Come in and <a href="/menu">look around</a>, or order from <a href="https://shop.com/x">our shop</a>.</p>\n'.repeat(270)}</body></html>`
