// Shows the listings that this browser keeps, as the site renders them now, and keeps a collection that somebody shares.

import { readKept, say, writeKept } from './keep.js'

/** As many as the site shows under one address. */
const PART = 60

/** How long a download may take to begin. */
const READ_MS = 60_000

const own = document.querySelector('[data-kept]')

function offerShared() {
  const slugs = [...document.querySelectorAll('[data-keep]')].map(poster => poster.dataset.keep)
  const button = document.querySelector('[data-keep-all]')
  button?.addEventListener('click', () => {
    const isStored = writeKept([...slugs, ...readKept()])
    say(isStored ? 'Kept all of them.' : 'This browser stores nothing for this site, so it can’t keep listings.')
  })
  if (button) button.hidden = false
}

async function showOwn() {
  const find = name => own.querySelector(`[data-${name}]`)
  const list = find('list')
  const kept = readKept()
  const items = new Map()
  /** The kept listings that the site has answered about. */
  const asked = new Set()
  try {
    for (let from = 0; from < kept.length; from += PART) await fetchPart(kept.slice(from, from + PART))
  } catch {
    say('We couldn’t load your collection. It is still in this browser: reload the page to try again.')
  }
  find('sort').addEventListener('change', show)
  for (const button of own.querySelectorAll('[data-export]')) {
    button.addEventListener('click', () => download(button.dataset.export))
  }
  show()

  async function fetchPart(slugs) {
    const response = await fetch(`/kept?listings=${slugs.join(',')}`)
    if (!response.ok) throw new Error(response.status)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const slug of slugs) asked.add(slug)
    for (const item of page.querySelectorAll('.six > li')) {
      const { dataset } = item.querySelector('[data-keep]')
      items.set(dataset.keep, item)
      // Here, a button removes it.
      item.append(removeButton(dataset.keep, textOf(item, 'h3')))
      delete dataset.keep
    }
  }

  function removeButton(slug, title) {
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'remove' })
    button.textContent = 'Remove'
    button.setAttribute('aria-label', `Remove ${title}`)
    button.addEventListener('click', () => {
      const before = readKept()
      const item = items.get(slug)
      const next = item.nextElementSibling ?? item.previousElementSibling
      writeKept(before.filter(each => each !== slug))
      show()
      ;(next?.querySelector('.remove') ?? document.querySelector('main')).focus()
      const undo = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Undo' })
      undo.addEventListener('click', () => {
        // Another tab may have kept something since.
        const now = readKept()
        const at = before.indexOf(slug)
        writeKept([...now.slice(0, at), slug, ...now.slice(at)])
        show()
        button.focus()
        say(`Kept again: ${title}.`)
      })
      say(`Removed: ${title}. `, undo)
    })
    return button
  }

  /** The kept listings that are shown, in the chosen order. */
  function inOrder() {
    const shown = readKept().filter(slug => items.has(slug))
    const order = find('sort').value
    if (order === 'kept') return shown
    const keyOf = slug => textOf(items.get(slug), PARTS[order])
    return shown.sort((one, other) => keyOf(one).localeCompare(keyOf(other)))
  }

  function show() {
    const slugs = inOrder()
    list.replaceChildren(...slugs.map(slug => items.get(slug)))
    const kept = readKept()
    const leftOut = kept.filter(slug => asked.has(slug) && !items.has(slug)).length
    find('left-out').hidden = leftOut === 0
    find('left-out').textContent =
      leftOut === 1
        ? '1 kept listing is not shown: it ended or was taken down.'
        : `${leftOut} kept listings are not shown: they ended or were taken down.`
    find('some').hidden = kept.length === 0
    find('none').hidden = kept.length > 0
    find('too-many').hidden = slugs.length <= PART
    own.querySelector('#kept-address').value = `${location.origin}/kept?listings=${slugs.slice(0, PART).join(',')}`
  }

  function download(format) {
    const listings = inOrder().map(slug => {
      const item = items.get(slug)
      const [title, host, category] = ['title', 'host', 'category'].map(part => textOf(item, PARTS[part]))
      return { title, host, category, page: `${location.origin}/product/${slug}` }
    })
    const { type, ending, write } = FORMATS[format]
    const href = URL.createObjectURL(new Blob([write(listings)], { type }))
    Object.assign(document.createElement('a'), { href, download: `kept.${ending}` }).click()
    // Some versions of Safari read it only after the click.
    setTimeout(() => URL.revokeObjectURL(href), READ_MS)
  }
}

const PARTS = { title: 'h3', host: '.foot bdi', category: '.foot > :nth-child(2)' }
const textOf = (item, part) => item.querySelector(part).textContent

const FORMATS = {
  json: { type: 'application/json', ending: 'json', write: listings => JSON.stringify(listings, null, 2) },
  text: {
    type: 'text/plain',
    ending: 'txt',
    write: listings => listings.map(({ title, host, page }) => `${title}\n${host}\n${page}\n`).join('\n'),
  },
  html: { type: 'text/html', ending: 'html', write: writeHtml },
}

/** A page of its own, built as a document, so that no title becomes markup. */
function writeHtml(listings) {
  const page = document.implementation.createHTMLDocument('Kept listings')
  const charset = page.createElement('meta')
  charset.setAttribute('charset', 'utf-8')
  page.head.prepend(charset)
  const list = page.createElement('ul')
  for (const { title, host, page: href } of listings) {
    const item = page.createElement('li')
    item.append(Object.assign(page.createElement('a'), { href, textContent: title }), ` ${host}`)
    list.append(item)
  }
  page.body.append(list)
  return `<!DOCTYPE html>\n${page.documentElement.outerHTML}\n`
}

if (own) await showOwn()
else offerShared()
