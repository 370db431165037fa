// Offers the first listings while someone types into a search field: an ARIA combobox with a list. The form works
// without it. Enter opens the chosen listing, or sends the words if none is chosen.

const WAIT_MS = 120
const MIN_LENGTH = 2

for (const [nth, field] of document.querySelectorAll('form.ask input[name=q]').entries()) {
  const list = document.createElement('ul')
  const status = document.createElement('p')
  let timer
  let asking
  let chosen = -1
  list.id = `suggested-${nth}`
  list.className = 'suggested'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Listings')
  list.hidden = true
  status.className = 'unseen'
  status.setAttribute('role', 'status')
  field.form.append(list, status)
  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  field.setAttribute('aria-expanded', 'false')
  field.autocomplete = 'off'

  function show(listings) {
    list.replaceChildren(...listings.map(optionOf))
    list.hidden = listings.length === 0
    field.setAttribute('aria-expanded', String(!list.hidden))
    status.textContent = list.hidden ? '' : `${listings.length} ${listings.length === 1 ? 'listing' : 'listings'}`
    choose(-1)
  }

  function optionOf({ title, hostname, path }, place) {
    const option = document.createElement('li')
    const [name, host] = [document.createElement('span'), document.createElement('bdi')]
    option.id = `${list.id}-${place}`
    option.dataset.path = path
    option.setAttribute('role', 'option')
    name.dir = 'auto'
    name.textContent = title
    host.dir = 'ltr'
    host.textContent = hostname
    option.append(name, ' ', host)
    // Before the field loses the focus, which closes the list.
    option.addEventListener('pointerdown', event => event.preventDefault())
    option.addEventListener('click', () => location.assign(path))
    return option
  }

  function choose(place) {
    chosen = place
    for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === place))
    if (place < 0) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', list.children[place].id)
  }

  async function ask() {
    asking?.abort()
    asking = new AbortController()
    const words = field.value.trim()
    if (words.length < MIN_LENGTH) return show([])
    try {
      const { signal } = asking
      const response = await fetch(`/search/suggest?q=${encodeURIComponent(words)}`, { signal })
      if (response.ok) show((await response.json()).listings)
    } catch {
      // Suggestions are a help: without them, the form still works.
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(ask, WAIT_MS)
  })
  field.addEventListener('keydown', event => {
    if (list.hidden || event.isComposing) return
    const count = list.children.length
    // One place more than there are listings: at the end, the field itself is chosen again.
    const steps = { ArrowDown: 1, ArrowUp: -1 }
    if (event.key in steps) choose(((chosen + 1 + steps[event.key] + count + 1) % (count + 1)) - 1)
    else if (event.key === 'Escape') show([])
    else if (event.key === 'Enter' && chosen >= 0) location.assign(list.children[chosen].dataset.path)
    else return
    event.preventDefault()
  })
  field.addEventListener('blur', () => {
    clearTimeout(timer)
    asking?.abort()
    show([])
  })
}

/** Some systems have languages such as `en-US@posix`, which `Intl` refuses with an error. */
function isTag(language) {
  try {
    return Intl.getCanonicalLocales(language).length > 0
  } catch {
    return false
  }
}

// The names of languages in the reader's own.
const names = new Intl.DisplayNames(navigator.languages.filter(isTag), { type: 'language' })
for (const name of document.querySelectorAll('[data-language]')) name.textContent = names.of(name.dataset.language)
