// Keeps the counts up to date, selects all in place, and gives the queue keys. Everything works without it.

const EVERY_MS = 15_000

// --- Counts ---

const news = document.querySelector('[data-news]')
const shown = name => document.querySelector(`[data-count="${name}"]`)
const numberOf = element => Number(element.textContent.replaceAll(/\D/g, ''))

async function look() {
  if (document.hidden) return
  try {
    const response = await fetch('/console/counts', { cache: 'no-store' })
    if (response.status === 403) return tell('Your session has ended.')
    if (!response.ok) return
    const { reports, findings, appeals, payments } = await response.json()
    const waiting = reports + findings + appeals + payments
    const before = numberOf(shown('queue'))
    shown('queue').textContent = waiting.toLocaleString('en')
    shown('payments').textContent = payments.toLocaleString('en')
    if (waiting > before) tell('There are new items.')
  } catch {
    // Try again at the next poll.
  }
}

/** Once: replaced words would be read aloud again at each poll, and take the focus from their link. */
function tell(words) {
  if (!news || news.textContent.startsWith(words)) return
  const link = Object.assign(document.createElement('a'), { href: location.href, textContent: 'Reload' })
  news.replaceChildren(`${words} `, link)
  news.hidden = false
}

setInterval(look, EVERY_MS)
addEventListener('visibilitychange', look)

// --- What was undone ---

const PASSING_MS = 10_000
const passing = document.querySelector('[data-passing]')
const pass = () => {
  const hadFocus = passing.contains(document.activeElement)
  passing.remove()
  if (hadFocus) document.querySelector('main').focus()
}
if (passing) setTimeout(pass, PASSING_MS)

// --- Selecting all ---

const boxes = [...document.querySelectorAll('input[name=case]')]
const all = document.querySelector('[data-select-all]')
const areAllOn = () => boxes.every(box => box.checked)
const nameAll = () => {
  if (all) all.textContent = areAllOn() ? 'Select none' : `Select all ${boxes.length}`
}
addEventListener('change', nameAll)
// Without this script, it leads to the page with all selected. With it, it is a button, and Space presses it, too.
all?.setAttribute('role', 'button')
all?.addEventListener('click', event => {
  event.preventDefault()
  const isOn = !areAllOn()
  for (const box of boxes) box.checked = isOn
  nameAll()
})
all?.addEventListener('keydown', event => {
  if (event.key !== ' ') return
  event.preventDefault()
  all.click()
})

// --- Keys ---

const cases = [...document.querySelectorAll('.case')]
const BUTTONS = { h: 'button[name=hide]', r: 'button[name=restore]', l: 'button[name=keep]', o: 'h2 a' }
const keys = document.querySelector('[data-keys]')
// The style sheet shows it only where there is likely to be a keyboard.
if (keys) keys.hidden = false

/** Uses what the browser stores. One that stores nothing forgets: keys are on, and begin at the first case. */
function withStorage(use) {
  try {
    return use()
  } catch {
    return undefined
  }
}

// Dictated words press keys, so people who dictate turn them off.
const OFF = 'console-keys-off'
const turn = document.querySelector('[data-turn-keys]')
let areOff = withStorage(() => localStorage.getItem(OFF) !== null) ?? false
const nameTurn = () => {
  if (turn) turn.textContent = areOff ? 'Turn keys on' : 'Turn keys off'
}
turn?.addEventListener('click', () => {
  areOff = !areOff
  nameTurn()
  withStorage(() => (areOff ? localStorage.setItem(OFF, '') : localStorage.removeItem(OFF)))
})
nameTurn()

// The page after a decision has the case that follows in the place of the decided one. There, the keys go on.
const PLACE = 'console-place'
const place = Number(withStorage(() => sessionStorage.getItem(PLACE)) ?? 0)
withStorage(() => sessionStorage.removeItem(PLACE))
addEventListener('submit', ({ submitter }) => {
  const at = cases.findIndex(each => each.contains(submitter))
  // After an undo, the case is back in that place.
  withStorage(() => sessionStorage.setItem(PLACE, at < 0 ? place : at))
})

addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
  const isTyping = target.matches('input:not([type=checkbox]), textarea, select')
  if (ctrlKey || metaKey || altKey || isTyping || areOff) return
  if (key === 'u') document.querySelector('[data-key=u]')?.click()
  const at = cases.findIndex(each => each.contains(document.activeElement))
  if (key === 'j' || key === 'k') {
    const below = at < 0 ? place : at + 1
    const above = (at < 0 ? place : at) - 1
    const next = cases[Math.min(Math.max(key === 'j' ? below : above, 0), cases.length - 1)]
    next?.focus()
    return next?.scrollIntoView({ block: 'nearest' })
  }
  if (key === 'x') return cases[at]?.querySelector('input[name=case]')?.click()
  if (Object.hasOwn(BUTTONS, key)) cases[at]?.querySelector(BUTTONS[key])?.click()
})
