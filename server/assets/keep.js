// Adds a button to each poster and row of a page, which keeps its listing in this browser and nowhere else. Pages are complete
// without it.

const STORED = 'kept'
const SLUG = /^[a-z0-9-]{1,200}$/

/** Returns the slugs of the kept listings, the last kept first. */
export function readKept() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED))
    return Array.isArray(kept) ? kept.filter(slug => typeof slug === 'string' && SLUG.test(slug)) : []
  } catch {
    return []
  }
}

/** Stores the kept listings. @returns whether the browser allows it */
export function writeKept(slugs) {
  try {
    localStorage.setItem(STORED, JSON.stringify([...new Set(slugs)]))
  } catch {
    return false
  }
  tellAll()
  return true
}

const NOTE_MS = 8000
const note = document.createElement('p')
note.className = 'kept-note'
note.setAttribute('role', 'status')
let noteEnds

/** Says something at the foot of the window. */
export function say(...content) {
  note.replaceChildren(...content)
  clearTimeout(noteEnds)
  noteEnds = setTimeout(() => note.replaceChildren(), NOTE_MS)
}

function toggle({ slug, title }) {
  const kept = readKept()
  const isKept = kept.includes(slug)
  const isStored = writeKept(isKept ? kept.filter(each => each !== slug) : [slug, ...kept])
  if (!isStored) return say('This browser stores nothing for this site, so it can’t keep listings.')
  const link = Object.assign(document.createElement('a'), { href: '/kept', textContent: 'See all' })
  say(isKept ? `No longer kept: ${title}. ` : `Kept: ${title}. `, link)
}

/** Posters that the boards' script has put in since get their button, too. */
function addButtons() {
  for (const poster of document.querySelectorAll('[data-keep]')) {
    if (poster.querySelector(':scope > .keep')) continue
    const title = poster.querySelector('h1, h2, h3, .ti').textContent
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'keep', textContent: 'Keep' })
    button.setAttribute('aria-label', `Keep ${title}`)
    button.addEventListener('click', () => toggle({ slug: poster.dataset.keep, title }))
    poster.append(button)
    tell(button, readKept())
  }
}

function tell(button, kept) {
  button.setAttribute('aria-pressed', kept.includes(button.parentElement.dataset.keep))
}

function tellAll() {
  const kept = readKept()
  for (const button of document.querySelectorAll('.keep')) tell(button, kept)
}

const main = document.querySelector('main')
main.append(note)
addButtons()
new MutationObserver(addButtons).observe(main, { childList: true, subtree: true })
// Another tab changed the collection, or the page comes back from the history.
addEventListener('storage', tellAll)
addEventListener('pageshow', tellAll)
